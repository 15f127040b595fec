import { call, startInstance } from '../support/instance.ts'
import { requestsPerSecond } from '../support/load.ts'
import { inTurn, round, type Result } from '../support/measure.ts'
import { makeTargets } from '../support/mixed.ts'

const PROJECTS = 10
const SECONDS = 4
const ROUNDS = 3
const WRITES_PER_SECOND = 20
const GOAL = 0.7

/** Creates issues at a constant rate until it is stopped. */
function write(url: string, id: number): () => Promise<void> {
  const running = new Set<Promise<unknown>>()
  let failed: unknown
  const timer = setInterval(() => {
    const body = JSON.stringify({ title: 'Written meanwhile' })
    const request = call(url, `/projects/${id}/issues`, { method: 'POST', body })
      .catch((error: unknown) => (failed = error))
      .finally(() => running.delete(request))
    running.add(request)
  }, 1000 / WRITES_PER_SECOND)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
    if (failed !== undefined) throw failed
  }
}

/** Row 18: repeated reads while 20 issues per second are created, against the reads alone. */
export async function readsUnderWritesRows(dir: string): Promise<Result[]> {
  const instance = await startInstance(dir)
  try {
    const [written, ...read] = await makeTargets(instance.url, PROJECTS)
    const paths = read.flatMap(({ id }) =>
      ['', '/issues?per_page=20', '/labels', '/members/all', '/milestones'].map(
        (rest) => `/api/v4/projects/${id}${rest}`,
      ),
    )
    paths.push('/api/v4/projects?per_page=20', '/api/v4/groups', '/api/v4/user/keys')
    await requestsPerSecond(instance.url, paths, 2)
    const [during, alone] = await inTurn(
      ROUNDS,
      async () => {
        const stop = write(instance.url, written!.id)
        const rate = await requestsPerSecond(instance.url, paths, SECONDS)
        await stop()
        return rate
      },
      () => requestsPerSecond(instance.url, paths, SECONDS),
    )
    const ratio = during / alone
    return [
      {
        row: 18,
        work: `repeated reads, ${WRITES_PER_SECOND} writes a second`,
        baseline: `${round(alone)} req/s (no writes)`,
        measured: `${round(during)} req/s`,
        ratio,
        goal: `≥ ${GOAL} ×`,
        met: ratio >= GOAL,
      },
    ]
  } finally {
    await instance.stop()
  }
}
