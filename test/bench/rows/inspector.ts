import { call, startInstance, TOKEN, type Running } from '../support/instance.ts'
import { requestsPerSecond } from '../support/load.ts'
import { inTurn, round, type Result } from '../support/measure.ts'
import { residentMb } from '../support/process-tree.ts'
import { seedProjects } from '../support/seed.ts'

const COUNT = 10_000
const SECONDS = 3
const ROUNDS = 9
/** The memory that the inspector may take, in MB. */
const MOST_MB = 40

async function record(instance: Running, recording: boolean): Promise<void> {
  const answer = await fetch(`${instance.url}/-/workbench/inspector`, {
    method: 'PUT',
    headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ recording }),
  })
  if (answer.status !== 200) throw new Error(`The inspector answered ${answer.status}.`)
  await answer.text()
}

async function compare(instance: Running, work: string, paths: string[]): Promise<Result> {
  await requestsPerSecond(instance.url, paths, SECONDS)
  const load = async (recording: boolean): Promise<number> => {
    await record(instance, recording)
    return requestsPerSecond(instance.url, paths, SECONDS)
  }
  const [on, off] = await inTurn(
    ROUNDS,
    () => load(true),
    () => load(false),
  )
  const ratio = on / off
  return {
    row: 20,
    work: `inspector on, ${work}`,
    baseline: `${round(off)} req/s (off)`,
    measured: `${round(on)} req/s`,
    ratio,
    goal: '≥ 0.97 ×',
    met: ratio >= 0.97,
  }
}

/** Memory with a full ring against memory without one, after the same load. */
async function memory(instance: Running, paths: string[]): Promise<Result> {
  await record(instance, false)
  await requestsPerSecond(instance.url, paths, SECONDS)
  const before = residentMb(instance.pid)
  await record(instance, true)
  await requestsPerSecond(instance.url, paths, SECONDS)
  const after = residentMb(instance.pid)
  return {
    row: 20,
    work: 'memory of the inspector',
    baseline: `${round(before)} MB (off)`,
    measured: `${round(after)} MB`,
    ratio: null,
    goal: `≤ ${MOST_MB} MB more`,
    met: after - before <= MOST_MB,
  }
}

/** Row 20: requests per second and memory while the inspector records, against the same instance while it does not. */
export async function inspectorRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, COUNT)
  const instance = await startInstance(dir)
  try {
    const single = Array.from(
      { length: 5000 },
      (_, index) => `/api/v4/projects/${1 + ((index * 7919) % COUNT)}`,
    )
    const list = ['/api/v4/projects?per_page=20']
    const manyPages = Array.from(
      { length: 2000 },
      (_, index) => `/api/v4/projects?per_page=20&page=${1 + (index % 400)}`,
    )
    await call(instance.url, '/projects/1')
    return [
      await compare(instance, 'GET /projects/:id', single),
      await compare(instance, 'GET /projects, page 1', list),
      await compare(instance, 'GET /projects, many pages', manyPages),
      await memory(instance, manyPages),
    ]
  } finally {
    await instance.stop()
  }
}
