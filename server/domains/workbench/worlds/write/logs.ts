import { logOf } from '../apply/logs.ts'

const CLEAR = '\u001b[0;m'
const GREEN = '\u001b[32;1m'

interface JobOfLog {
  readonly job: string
  readonly stage: string
  readonly status: 'success' | 'failed' | 'running' | 'canceled'
  readonly exit_code: number
}

/**
 * The lines of a log without what `logOf` writes around them; undefined for the log of a job without lines of its own.
 */
export function givenLog(log: string, job: JobOfLog): string | undefined {
  const [head = '', tail = ''] = logOf({ ...job, given: MARK }).split(`${MARK}\n`)
  let lines = log.startsWith(head) ? log.slice(head.length) : log
  if (tail !== '' && lines.endsWith(tail)) lines = lines.slice(0, -tail.length)
  if (!lines.endsWith('\n')) lines += '\n'
  const text = lines
    .split('\n')
    .map((line) =>
      line.startsWith(`${GREEN}$ `) && line.endsWith(CLEAR) ? line.slice(GREEN.length, -CLEAR.length) : line,
    )
    .join('\n')
  return logOf({ ...job, given: text }) === logOf({ ...job, given: undefined }) ? undefined : text
}

const MARK = '\u0000'
