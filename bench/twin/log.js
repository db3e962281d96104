// The natural logarithm of the `libm` crate, bit for bit, so that scores are
// the same on every platform. `Math.log` of V8 differs from it in the last bit
// for one argument in forty.

const view = new DataView(new ArrayBuffer(8))
const LN2_HIGH = 6.93147180369123816490e-1
const LN2_LOW = 1.90821492927058770002e-10
/** Coefficients of the polynomial for log(1 + f), odd and even powers apart. */
const ODD = [6.666666666666735130e-1, 2.857142874366239149e-1, 1.818357216161805012e-1, 1.479819860511658591e-1]
const EVEN = [3.999999999940941908e-1, 2.222219843214978396e-1, 1.531383769920937332e-1]
/** The high word of sqrt(2) / 2: where the reduced argument begins. */
const HALF_SQRT2 = 0x3fe6a09e
const ONE = 0x3ff00000

/** log(x) of a normal, positive number. */
export function log(x) {
  // x = 2^k (1 + f), with 1 + f between sqrt(2) / 2 and sqrt(2).
  view.setFloat64(0, x)
  const high = view.getInt32(0) + (ONE - HALF_SQRT2)
  const k = (high >> 20) - 0x3ff
  view.setInt32(0, (high & 0x000fffff) + HALF_SQRT2)
  const f = view.getFloat64(0) - 1

  const halfSquare = 0.5 * f * f
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const even = w * (EVEN[0] + w * (EVEN[1] + w * EVEN[2]))
  const odd = z * (ODD[0] + w * (ODD[1] + w * (ODD[2] + w * ODD[3])))
  return s * (halfSquare + (odd + even)) + k * LN2_LOW - halfSquare + f + k * LN2_HIGH
}
