import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'

import { call, startInstance, TOKEN, type Running } from '../support/instance.ts'
import { inTurn, median, round, timed, type Result } from '../support/measure.ts'

const PROJECTS = 20
const BYTES_EACH = 5 * 1024 * 1024
const MANY = 1000
const ROUNDS = 5

/** Creates a project. Its repository has this number of bytes, which do not compress. */
async function makeProject(instance: Running, index: number, bytes: number): Promise<void> {
  await call(instance.url, '/projects', {
    method: 'POST',
    body: JSON.stringify({ name: `snapshot-${index}`, initialize_with_readme: true }),
  })
  if (bytes === 0) return
  const content = randomBytes(bytes).toString('base64')
  await call(instance.url, `/projects/root%2Fsnapshot-${index}/repository/files/large.bin`, {
    method: 'POST',
    body: JSON.stringify({ branch: 'main', commit_message: 'Large', content, encoding: 'base64' }),
  })
}

async function ask(instance: Running, path: string, body: object = {}): Promise<void> {
  const answer = await fetch(`${instance.url}/-/workbench/snapshots${path}`, {
    method: 'POST',
    headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`A snapshot: ${answer.status} ${await answer.text()}`)
}

const save = (instance: Running) => timed(() => ask(instance, '', { name: 'bench', replace: true }))

/** Restores a snapshot after a change in one project. */
async function restore(instance: Running): Promise<number> {
  await call(instance.url, '/projects/root%2Fsnapshot-0/issues', {
    method: 'POST',
    body: '{"title":"Later"}',
  })
  await call(instance.url, '/projects/root%2Fsnapshot-0/repository/branches?branch=later&ref=main', {
    method: 'POST',
  })
  return timed(() => ask(instance, '/bench/restore'))
}

function copyFolder(dir: string): number {
  const target = `${dir}-copy`
  const started = performance.now()
  cpSync(dir, target, { recursive: true, filter: (path) => !/instance\.lock|open-writes/.test(path) })
  const ms = performance.now() - started
  rmSync(target, { recursive: true, force: true })
  return ms
}

/** Row 19: a snapshot saved and restored, against copying the data folder. */
export async function snapshotRows(dir: string): Promise<Result[]> {
  const instance = await startInstance(dir)
  for (let index = 0; index < PROJECTS; index++) await makeProject(instance, index, BYTES_EACH)
  const [saving, copying] = await inTurn(
    ROUNDS,
    () => save(instance),
    () => Promise.resolve(copyFolder(dir)),
  )
  const restores: number[] = []
  for (let round = 0; round < ROUNDS; round++) restores.push(await restore(instance))
  const restoring = median(restores)
  const result = (work: string, ms: number): Result => ({
    row: 19,
    work: `${work}, 20 projects and 100 MB`,
    baseline: `${round(copying)} ms (copying the folder)`,
    measured: `${round(ms)} ms`,
    ratio: ms / copying,
    goal: '≤ 50 ms',
    met: ms <= 50,
  })
  const rows = [result('snapshot saved', saving), result('snapshot restored', restoring)]
  for (let index = PROJECTS; index < MANY; index++) await makeProject(instance, index, 0)
  const many = [await save(instance), await restore(instance)]
  await instance.stop()
  return [
    ...rows,
    {
      row: 19,
      work: `snapshot saved and restored, ${MANY} projects`,
      baseline: '–',
      measured: many.map((ms) => `${round(ms)} ms`).join(', '),
      ratio: null,
      goal: '≤ 500 ms each',
      met: many.every((ms) => ms <= 500),
    },
  ]
}
