import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { isPossible } from '../support/possible.ts'
import { scratch, type Scratch } from '../support/server-process.ts'

const TOKEN = 'root-token-of-this-test'
const hasStrace = isPossible(
  spawnSync('strace', ['-V']).error === undefined,
  'Tests that answered writes are on disk are left out: strace is missing.',
)

const label = (n: number): object => ({ name: `Label ${n}`, color: '#112233' })

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

/** Records the system calls of a process that write and sync the log of its database and send responses. */
async function record(pid: number, file: string): Promise<() => Promise<string[]>> {
  const calls = 'trace=pwrite64,fdatasync,write,writev'
  const strace = spawn('strace', ['-f', '-y', '-s', '40', '-e', calls, '-o', file, '-p', String(pid)])
  await once(strace.stderr, 'data')
  return async () => {
    strace.kill('SIGINT')
    await once(strace, 'close')
    return readFileSync(file, 'utf8').split('\n')
  }
}

it.runIf(hasStrace)(
  'the instance answers a write after its rows are on disk, and syncs at most once for each',
  async () => {
    const instance = here.start({ dataDir: here.path('data'), env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
    const url = await instance.url
    const post = async (path: string, body: object): Promise<{ status: number; id: number }> => {
      const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/v4${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return { status: answer.status, id: ((await answer.json()) as { id: number }).id }
    }
    const { id } = await post('/projects', { name: 'synced', initialize_with_readme: true })
    const end = await record(instance.child.pid!, here.path('calls'))
    for (let n = 0; n < 5; n++)
      expect((await post(`/projects/${id}/issues`, { title: `Issue ${n}` })).status).toBe(201)
    const commit = { branch: 'main', content: 'Text', commit_message: 'Add a file' }
    expect((await post(`/projects/${id}/repository/files/a.txt`, commit)).status).toBe(201)
    const many = Array.from({ length: 20 }, (_, n) => post(`/projects/${id}/labels`, label(n)))
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 201))
    const lines = await end()

    const answers = lines.flatMap((line, at) => (line.includes('HTTP/1.1 201') ? [at] : []))
    expect(answers).toHaveLength(26)
    // Each request starts after the response to the previous one. Between two responses, its rows were written and then synced.
    for (const [n, at] of answers.slice(0, 6).entries()) {
      const since = lines.slice(n === 0 ? 0 : answers[n - 1]! + 1, at)
      const written = since.findIndex((line) => /pwrite64\(\d+<[^>]*deskforge\.db-wal>/.test(line))
      expect(written).toBeGreaterThanOrEqual(0)
      expect(syncsIn(since.slice(written))).toBeGreaterThanOrEqual(1)
    }
    // The number of requests that share a sync depends on the disk.
    expect(syncsIn(lines.slice(answers[5]! + 1))).toBeLessThanOrEqual(many.length)
  },
)

/** Counts the complete syncs of the log within these lines. */
function syncsIn(lines: readonly string[]): number {
  const begun = new Set<string>()
  let ended = 0
  for (const line of lines) {
    const thread = line.split(' ', 1)[0]!
    if (/fdatasync\(\d+<[^>]*deskforge\.db-wal>\) += 0/.test(line)) ended++
    else if (/fdatasync\(\d+<[^>]*deskforge\.db-wal> <unfinished/.test(line)) begun.add(thread)
    else if (/<\.\.\. fdatasync resumed>\) += 0/.test(line) && begun.delete(thread)) ended++
  }
  return ended
}
