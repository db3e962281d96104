// What was said in the sample workspace: invented, in Chinese and English.
//
// Times are UTC. A turn is what the person said, what the agent did, and its
// answer; each event takes the time given by STEP_MS in ledger.mjs.

/** The folder the sample Sessions work in: the scope of workspace facts. */
export const PROJECT = '/home/demo/lantern'

const image = (id, name) => ({ id, name, kind: 'image', mimeType: 'image/png' })
const file = (id, name) => ({ id, name, kind: 'other', mimeType: 'text/plain' })

/** Sessions whose transcript stands in the ledger. */
export const SESSIONS = [
  {
    id: 'context-window',
    name: '上下文窗口怎么设置',
    at: '2026-09-03T02:10:00Z',
    turns: [
      {
        user: '这个模型的上下文窗口怎么设置？截图里是现在的设置页面，总是提示超过预算。',
        attachments: [image('art_settings_shot', '设置截图.png')],
        steps: [
          { call: 'Read', intent: '查看模型设置', args: { path: 'config/models.json' }, result: { kind: 'json', value: { model: 'lantern-large', contextWindow: 128000, reserve: 8000 } } },
        ],
        answer: '上下文窗口在「设置 → 模型」里改。现在写的是 128k，预留 8k 给回答。把 contextWindow 调到 200000 就不会再提示超过预算了。',
      },
      {
        user: '调到 200k 之后会变慢吗？',
        answer: '首个字会慢一点。窗口越大，每次要带上的历史越多；如果只是聊天，128k 足够。',
      },
    ],
  },
  {
    id: 'model-choice',
    name: 'Which model for code review · 选模型',
    at: '2026-09-08T06:30:00Z',
    turns: [
      {
        user: '代码评审用哪个模型比较好？大模型太贵，小模型又漏问题。',
        answer:
          '建议两步：先让小模型过一遍格式和命名，再让大模型只看有改动的逻辑。这样大模型读的内容少一半，漏掉的问题也少。模型的名称要和供应商的列表一致，否则会退回默认模型。',
      },
      {
        user: 'And for translations between Chinese and English?',
        answer: 'The mid-size model is enough for translations. Keep a glossary in the prompt, or product names drift between runs.',
      },
    ],
  },
  {
    id: 'release-1-4',
    name: 'Release checklist 1.4',
    at: '2026-09-12T01:00:00Z',
    turns: [
      {
        user: 'Write the release checklist for 1.4. Last time we forgot the migration notes. 部署清单见附件。',
        attachments: [file('art_deploy_list', '部署清单.txt')],
        steps: [
          {
            call: 'Bash',
            intent: 'See what changed since the last release',
            args: { command: 'git log --oneline v1.3..HEAD' },
            result: {
              kind: 'text',
              text: 'a81c02f Floating window keeps its place\n77be190 Migration: split the settings table\n0c4d1ee Retry uploads when the network returns\n',
            },
          },
        ],
        answer:
          'Checklist for 1.4:\n1. Migration notes: the settings table is split, older versions cannot open it.\n2. Freeze on Wednesday, release candidate on Thursday.\n3. Deploy to staging-eu first and watch the upload retries for an hour.\n4. Announce in the channel, then roll out to everyone.',
      },
      {
        user: 'Who signs off the migration?',
        answer: 'Mei signs off the migration, Jonas the upload retries. Both before the freeze.',
      },
    ],
  },
  {
    id: 'floating-window',
    name: '浮窗不显示',
    at: '2026-09-15T08:20:00Z',
    turns: [
      {
        user: '浮窗在第二个显示器上不显示，主显示器正常。',
        steps: [
          {
            call: 'Grep',
            intent: '找到浮窗的显示条件',
            args: { pattern: 'showFloatingWindow' },
            result: { kind: 'text', text: 'src/window/floating.ts:41: if (!bounds.contains(primary)) return\nsrc/window/floating.ts:58: showFloatingWindow(bounds)\n' },
          },
        ],
        answer: '原因找到了：src/window/floating.ts 第 41 行只认主显示器的边界，所以第二个显示器上直接返回。改成遍历所有显示器的边界就好。',
      },
      { user: '改完顺便加个测试。', answer: '加好了：两个显示器、一个在左边、缩放比例不同，三种情况都覆盖。' },
    ],
  },
  {
    id: 'deploy-staging',
    name: 'Deploy to staging-eu',
    at: '2026-09-18T13:45:00Z',
    turns: [
      {
        user: 'Deploy the branch to staging-eu and tell me when the health check is green.',
        steps: [
          {
            call: 'Bash',
            intent: 'Deploy to staging-eu',
            args: { command: './deploy staging-eu' },
            // Made up, and shaped so that redaction must catch it.
            result: {
              kind: 'text',
              text: 'using DEPLOY_TOKEN=lantern-demo-not-a-real-token\nnotify: https://lantern:demo@staging-eu.example/hook?token=demo-only\nuploaded 214 files\nhealth check: green after 38 s\n',
            },
          },
        ],
        answer: 'Deployed to staging-eu. The health check is green after 38 seconds; the migration ran once and took 4 seconds.',
      },
    ],
  },
  {
    id: 'flaky-test',
    name: 'Flaky upload test',
    at: '2026-09-22T09:05:00Z',
    turns: [
      {
        user: 'The upload test fails one time in five on CI, never here. Find out why.',
        steps: [
          {
            call: 'Bash',
            intent: 'Run the upload test twenty times',
            args: { command: 'for i in $(seq 20); do npm test -- upload; done' },
            result: { kind: 'text', text: 'run 7: FAIL upload › retries when the network returns\n  expected 2 attempts, got 3\nrun 16: FAIL upload › retries when the network returns\n  expected 2 attempts, got 3\n' },
          },
        ],
        answer:
          'The retry timer and the reconnect event race: when the timer fires first, there is a third attempt. On CI the machine is slow enough for that. A fake clock makes the test deterministic; the race itself is harmless, uploads are idempotent.',
      },
    ],
  },
  {
    id: 'reading-notes',
    name: '读书笔记：微信读书导出',
    at: '2026-10-02T12:00:00Z',
    turns: [
      {
        user: '把微信读书导出的笔记整理成一篇文章，重点放在「长期记忆」那一章。',
        answer: '整理好了，分三段：记忆为什么会断裂、怎么靠复述把它接起来、以及为什么写下来比记住更可靠。引文都保留了页码。',
      },
      { user: '标题太长了，换一个。', answer: '《写下来的，才记得住》。' },
    ],
  },
  {
    id: 'weekly-report',
    name: '周报 Weekly report',
    at: '2026-10-09T10:00:00Z',
    turns: [
      {
        user: '写本周周报，中英文各一份。',
        answer:
          '本周：1.4 发布到 staging-eu，浮窗在多显示器下恢复正常，上传重试的测试不再时好时坏。\n\nThis week: 1.4 went to staging-eu, the floating window works on several displays, and the upload test is stable. Next: pick the default model and write the migration notes.',
      },
    ],
  },
  {
    id: 'trip-lisbon',
    name: 'Trip to Lisbon · 行程',
    at: '2026-10-14T19:30:00Z',
    turns: [
      {
        user: 'Plan three days in Lisbon in November. We like cafés, viewpoints and trams, 不喜欢排队。',
        answer:
          'Day one: Alfama on foot, Miradouro da Graça before noon. Day two: tram 28 at seven in the morning, when nobody queues; then the café in the Estrela garden. Day three: Belém by train, pastries to take away.',
      },
    ],
  },
  {
    id: 'memory-leak',
    name: 'Memory grows overnight 内存泄漏',
    at: '2026-10-20T07:15:00Z',
    turns: [
      {
        user: '应用开一晚上内存从 300 MB 涨到 1.7 GB。会不会是模型的缓存没有释放？',
        steps: [
          {
            call: 'Bash',
            intent: '比较两份堆快照',
            args: { command: 'node tools/heap-diff.js evening morning' },
            result: { kind: 'json', value: { grew: [{ type: 'TranscriptRow', count: 412000, bytes: 1290000000 }, { type: 'ModelCacheEntry', count: 12, bytes: 48000 }] } },
          },
        ],
        answer: '不是模型缓存，它只有 12 条。涨的是 TranscriptRow：每次搜索都把整段历史读进内存，旧的监听器没有移除，所以一直被引用。移除监听器之后一晚上只涨了 6 MB。',
      },
    ],
  },
  {
    id: 'search-design',
    name: 'Search over old conversations',
    at: '2026-10-27T03:40:00Z',
    turns: [
      {
        user: 'Our search stops at the first ten hits. Which ten depends on the scan order. How should it rank?',
        answer:
          'Rank before you cut: score every message that holds a term, then keep the best. BM25 is enough, with a lower weight for tool output. At most one passage per turn and a few per conversation, so that one long log does not drown the rest.',
      },
      {
        user: '中文没有空格，分词怎么办？',
        answer: '不分词。两个字的词直接按子串找，「模型」和「上下文窗口」都一样。折叠只做 NFC 和小写。',
      },
    ],
  },
  {
    id: 'default-model',
    name: '默认模型改成中号',
    at: '2026-11-04T05:25:00Z',
    turns: [
      {
        user: '把默认模型改成中号模型，设置里也要能看到。',
        steps: [
          {
            call: 'Edit',
            intent: '修改默认模型',
            args: { path: 'config/models.json' },
            result: { kind: 'text', text: 'config/models.json: default lantern-large -> lantern-medium' },
          },
        ],
        answer: '改好了：默认模型现在是 lantern-medium，设置页面显示「中号（默认）」。已有的会话不受影响，新会话才用新的默认模型。',
      },
    ],
  },
  {
    id: 'old-experiments',
    name: 'Old model experiments',
    archived: true,
    at: '2026-08-30T11:00:00Z',
    turns: [
      {
        user: 'Compare the three models on our twenty questions.',
        answer: '大号模型答对 18 题，中号模型 17 题，小号模型 11 题。The medium model costs a fifth of the large one.',
      },
    ],
  },
]

/** A Session of before the ledger: message rows, never converted. */
export const UNCONVERTED = {
  id: 'first-setup',
  name: '第一次安装 First setup',
  at: '2026-03-11T01:30:00Z',
  rows: [
    { type: 'user', text: '第一次安装，应该先配哪个模型？' },
    { type: 'tool_call', toolName: 'Read', intent: '查看可用的模型', args: { path: 'config/models.json' } },
    { type: 'tool_result', content: { kind: 'text', text: 'lantern-large, lantern-small' } },
    { type: 'assistant', text: '先配 lantern-large，它的上下文窗口最大；小模型以后再加。Keys go into the system keychain, never into the config file.' },
    { type: 'turn_state', status: 'completed' },
  ],
}

/** An import that is not finished: it is listed as not readable, never shown in part. */
export const STAGING = {
  id: 'import-half-done',
  name: 'Imported notes',
  at: '2026-11-05T09:00:00Z',
  rows: [{ type: 'user', text: '导入的笔记：模型对比表（尚未导入完成）' }],
}

/** Distilled facts, as memory.sqlite keeps them. */
export const FACTS = [
  { id: 'fact-default-model', content: '默认模型是 lantern-medium（2026-11-04 起）。', kind: 'preference', keys: ['默认模型', 'default model', '模型'], at: '2026-11-04T05:26:00Z' },
  { id: 'fact-context', content: 'The context window is set to 200k; answers keep 8k in reserve.', kind: 'context', keys: ['context window', '上下文窗口'], at: '2026-09-03T02:12:00Z' },
  { id: 'fact-staging', content: 'Releases go to staging-eu first.', kind: 'knowledge', keys: ['staging-eu', 'deploy'], at: '2026-09-12T01:02:00Z', workspace: PROJECT },
  { id: 'fact-queues', content: '用户旅行时不喜欢排队。', kind: 'preference', keys: ['旅行', 'travel'], at: '2026-10-14T19:31:00Z' },
  { id: 'fact-old-model', content: '默认模型是 lantern-large。', kind: 'preference', keys: ['默认模型'], at: '2026-03-11T01:31:00Z', archived: true },
]

/** The text file of release-1-4. */
export const DEPLOY_LIST = `部署清单 Deploy list

1. 先部署到 staging-eu
2. 等健康检查变绿
3. 迁移只跑一次
4. 上传重试观察一小时

deploy token: lantern-demo-not-a-real-token
`
