const CLEAR = '\u001b[0;m'
const GREEN = '\u001b[32;1m'
const RED = '\u001b[31;1m'

/** The log of a job: the output of its script, and the lines that a runner writes before and after it. */
export function logOf(job: {
  job: string
  stage: string
  output: string | undefined
  status: 'success' | 'failed' | 'running' | 'canceled'
  exit_code: number
}): string {
  const { output, status, exit_code } = job
  const body = output ?? `${GREEN}$ ./ci/${job.stage} ${job.job}${CLEAR}\nDone.\n`
  const lines = body
    .split('\n')
    .map((line) => (line.startsWith('$ ') ? `${GREEN}${line}${CLEAR}` : line))
    .join('\n')
  const head = `Running with deskforge-runner 15.11.0\nGetting source from Git repository\nExecuting "step_script" stage of the job script\n`
  const text = head + (lines.endsWith('\n') ? lines : `${lines}\n`)
  if (status === 'success') return `${text}${GREEN}Job succeeded${CLEAR}\n`
  if (status === 'failed') return `${text}${RED}ERROR: Job failed: exit code ${exit_code}${CLEAR}\n`
  return text
}

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
