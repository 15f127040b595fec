import { logOf } from '../apply/logs.ts'

const CLEAR = '\u001b[0;m'
const GREEN = '\u001b[32;1m'

interface LoggedJob {
  readonly job: string
  readonly stage: string
  readonly status: 'success' | 'failed' | 'running' | 'canceled'
  readonly exit_code: number
}

/**
 * The output of the script in a log, without the lines that `logOf` adds before and after it. Undefined if the log has
 * only the default output.
 */
export function scriptOutput(log: string, job: LoggedJob): string | undefined {
  const [head = '', tail = ''] = logOf({ ...job, output: MARK }).split(`${MARK}\n`)
  let lines = log.startsWith(head) ? log.slice(head.length) : log
  if (tail !== '' && lines.endsWith(tail)) lines = lines.slice(0, -tail.length)
  if (!lines.endsWith('\n')) lines += '\n'
  const text = lines
    .split('\n')
    .map((line) =>
      line.startsWith(`${GREEN}$ `) && line.endsWith(CLEAR) ? line.slice(GREEN.length, -CLEAR.length) : line,
    )
    .join('\n')
  return logOf({ ...job, output: text }) === logOf({ ...job, output: undefined }) ? undefined : text
}

const MARK = '\u0000'
