// The words that workspaces are made of. Topics are kept apart: their words
// stand only in the Sessions that are about them.

const split = (words) => words.trim().split(/\s+/)

export const ENGLISH = split(`
  the of to and in is for that it on with as be this are from by at or not we can if when which should has was an will
  file test code change add run error value function return call read write check line user result state time new list
  build path name type set get key data first last only after before each every same other because while still already
  server client request response event stream handler session message cache index query table column row schema update
  delete insert commit branch merge review deploy release version package module import export default async await
  promise callback timeout retry limit queue worker thread process memory disk network socket port host proxy header
  payload buffer string number boolean object array map filter reduce sort search match replace split join parse format
  render layout button dialog window panel scroll focus hover click keyboard mouse theme dark light colour font icon
  settings preference permission policy rule guard validate reject accept allow deny block open close start stop pause
  resume cancel abort fail pass skip ignore warn trace debug profile measure compare expected actual missing duplicate
  stale fresh unknown internal external public private local remote global nested shared single double empty full large
  small slow fast quick simple complex clear broken fixed draft final partial whole copy move rename restore backup
  archive upload download fetch load save store keep drop hold wait poll watch notify listen publish subscribe
  container image volume mount kernel driver signal lock mutex race deadlock leak overflow underflow rounding encoding
  decoding unicode locale timezone calendar invoice customer order payment refund discount shipping warehouse catalogue
  dashboard chart report summary export threshold alert metric gauge histogram percentile latency throughput bandwidth
`)

export const CHINESE = split(`
  我们 可以 需要 这个 那个 如果 因为 所以 但是 然后 现在 已经 还是 没有 问题 方法 函数 代码 文件 测试 结果 数据 用户 系统 服务 接口
  请求 响应 错误 日志 配置 环境 版本 发布 部署 分支 合并 提交 审查 修改 增加 删除 更新 查询 索引 缓存 队列 任务 任务队列 线程 进程 内存
  磁盘 网络 连接 超时 重试 限制 权限 安全 加密 解析 格式 渲染 布局 按钮 对话框 窗口 面板 滚动 焦点 主题 深色 浅色 字体 图标 设置 偏好
  验证 拒绝 允许 阻止 打开 关闭 开始 停止 暂停 恢复 取消 失败 通过 跳过 忽略 警告 调试 性能 测量 比较 预期 实际 缺少 重复 过期 未知
  内部 外部 公开 私有 本地 远程 全局 嵌套 共享 单个 双重 空的 完整 很大 很小 很慢 很快 简单 复杂 清楚 损坏 修复 草稿 最终 部分 整体
  复制 移动 重命名 还原 备份 归档 上传 下载 加载 保存 存储 保持 丢弃 等待 轮询 监听 通知 订阅 容器 卷 挂载 内核 驱动 信号 锁 竞争 死锁
  泄漏 溢出 编码 解码 语言 时区 日历 发票 客户 订单 付款 退款 折扣 运输 仓库 目录 仪表盘 图表 报告 摘要 阈值 告警 指标 延迟 吞吐 带宽
  前端 后端 桌面 浮窗 宠物 供应商 显示 输入 输出 光标 快捷键 剪贴板 通知栏 登录 注册 会话 消息 工具 调用 参数 返回 变量 常量 类型 模块
`)

/** `share` of the Sessions is about a topic; `every` so many sentences there one names it. */
export const TOPICS = [
  { share: 0.45, every: 40, phrases: ['模型', '模型选择', '大模型的输出', '默认模型'] },
  { share: 0.27, every: 50, phrases: ['图片', '图片预览', '上传图片', '图片压缩'] },
  { share: 0.15, every: 60, phrases: ['context window', 'the context window of the agent', 'Context Window'] },
  { share: 0.2, every: 50, phrases: ['token budget', '上下文预算'] },
  { share: 0.1, every: 30, phrases: ['flaky snapshot', '快照不稳定'] },
  { share: 0.05, every: 30, phrases: ['Kubernetes ingress', '入口控制器'] },
  { share: 0.03, every: 20, phrases: ['quaternion drift', '四元数漂移'] },
]

/** Text whose folding is more than lowering A-Z: cased letters beyond ASCII, and letters not composed. */
export const FOLD_UNSTABLE = [
  'ĐÀ NẴNG',
  'ÉTÉ À PARIS',
  'İstanbul',
  'Übersicht',
  'ΟΔΥΣΣΕΥΣ',
  'Привет МИР',
  'cafe\u0301 au lait',
  'Ångström',
  'ＡＢＣ１２３',
]

export const TOOLS = ['Bash', 'Read', 'Grep', 'Glob', 'Edit', 'Write', 'WebFetch', 'WebSearch', 'ListFiles', 'Task']
export const DIRECTORIES = split('src lib packages apps tests docs scripts runtime desktop shared core ui server tools')
export const EXTENSIONS = ['ts', 'tsx', 'js', 'json', 'md', 'rs', 'py', 'css', 'yaml', 'toml']
