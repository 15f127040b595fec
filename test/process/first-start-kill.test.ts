import { readdirSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { databaseProblems, deadJobs, orphanFiles } from '../support/kill/on-disk.ts'
import { scratch } from '../support/server-process.ts'
import { seed } from '../support/slice.ts'
import { onAnyPort } from '../support/starts.ts'

const ROUNDS = process.env['DESKFORGE_TEST_DEEP'] === '1' ? 40 : 3
const TOKEN = 'token-of-the-first-start'

const here = scratch()
/** Milliseconds from the start of the process until it was ready. Kills are spread over this time. */
let duration = 0

function begin(dataDir: string) {
  return here.start({ args: onAnyPort(dataDir), env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
}

/** Starts an instance and kills it after a part of the time that a start takes. */
async function killAfter(dataDir: string, part: number): Promise<void> {
  const instance = begin(dataDir)
  await pause(duration * part)
  await instance.stop('SIGKILL')
}

async function ask(url: string, method: string, path: string, body?: object) {
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as { username?: string } }
}

beforeAll(async () => {
  // The first of two starts fills the compile cache.
  for (const name of ['warm', 'timed']) {
    const started = performance.now()
    const instance = begin(here.path(name))
    await instance.url
    duration = performance.now() - started
    await instance.stop()
  }
})
afterAll(() => here.clear())

describe('an instance that is killed during its first start', () => {
  it(`starts again, ${ROUNDS} times`, { timeout: ROUNDS * 60_000 }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const dataDir = here.path(`data-${round}`)
      await killAfter(dataDir, (round + ((seed * 7 + round * 3) % 10) / 10) / ROUNDS)
      // The start that recovers is killed, too, in every second round.
      if (round % 2 === 1) await killAfter(dataDir, ((seed + round * 7) % 10) / 10)
      const instance = begin(dataDir)
      const url = await instance.url
      expect(await ask(url, 'GET', '/user')).toMatchObject({ status: 200, body: { username: 'root' } })
      const project = { name: 'first', initialize_with_readme: true }
      expect(await ask(url, 'POST', '/projects', project)).toMatchObject({ status: 201 })
      expect((await instance.stop()).stderr).toBe('')
      expect(databaseProblems(dataDir)).toEqual([])
      expect(deadJobs(dataDir)).toEqual([])
      expect(orphanFiles(dataDir)).toEqual([])
      expect(readdirSync(dataDir).filter((name) => /\.part$|-journal$/.test(name))).toEqual([])
      rmSync(dataDir, { recursive: true })
    }
  })
})
