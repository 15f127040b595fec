import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { cleanEnv, cli, scratch, type Scratch } from '../support/server-process.ts'

const TOKEN = 'token-of-the-doctor'

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

function doctor(...args: string[]) {
  const words = [cli, 'doctor', '--data-dir', here.path('data'), ...args]
  return spawnSync(process.execPath, words, { env: cleanEnv({}), encoding: 'utf8' })
}

function findings(...args: string[]): { check: string; sentence: string; state: string }[] {
  const { stdout } = doctor('--json', ...args)
  return (JSON.parse(stdout) as { findings: ReturnType<typeof findings> }).findings
}

/** An instance with a project that has an encrypted variable. It has stopped unless `runs` is true. */
async function filled({ runs = false } = {}): Promise<string> {
  const instance = here.start({
    dataDir: here.path('data'),
    env: { DESKFORGE_ROOT_TOKEN: TOKEN },
  })
  const url = await instance.url
  const post = (path: string, body: object) =>
    fetch(`${url}/api/v4${path}`, {
      method: 'POST',
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await post('/projects', { name: 'one', initialize_with_readme: true })).status).toBe(201)
  expect((await post('/projects/1/variables', { key: 'KEY', value: 'secret' })).status).toBe(201)
  if (!runs) await instance.stop()
  return url
}

function repository(): string {
  const folder = here.path('data/repositories')
  const [found] = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.git'))
  return join(folder, found!)
}

describe('deskforge doctor', () => {
  it('finds no problem in a healthy instance, also while it runs', async () => {
    const url = await filled({ runs: true })
    const meanwhile = doctor('--deep')
    expect(meanwhile.stdout).toContain(`${url}) already uses the data folder`)
    expect(meanwhile.stdout).toContain('Everything is as it should be.\n')
    expect(meanwhile.status).toBe(0)
    const repair = doctor('--repair')
    expect(repair).toMatchObject({ status: 2, stdout: '' })
    expect(repair.stderr).toMatch(/; stop it before anything is repaired\.\n$/)
    expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
  })

  it('finds locks and wide file permissions, and repairs both', async () => {
    await filled()
    writeFileSync(join(repository(), 'refs/heads/main.lock'), '')
    const halfMade = here.path('data/repositories/@hashed/aa/bb/unknown.git.new-abc123')
    mkdirSync(halfMade, { recursive: true })
    chmodSync(here.path('data'), 0o755)
    expect(findings().map(({ check, state }) => [check, state])).toEqual([
      ['permissions', 'can be repaired'],
      ['locks', 'can be repaired'],
      ['locks', 'can be repaired'],
    ])
    expect(existsSync(join(repository(), 'refs/heads/main.lock'))).toBe(true)
    expect(doctor('--repair')).toMatchObject({ status: 0 })
    expect(existsSync(halfMade)).toBe(false)
    expect(existsSync(join(repository(), 'refs/heads/main.lock'))).toBe(false)
    expect(doctor()).toMatchObject({ status: 0, stdout: 'Everything is as it should be.\n' })
  })

  it('reports differences between rows and folders, without a repair', async () => {
    await filled()
    mkdirSync(here.path('data/repositories/@hashed/aa/bb/foreign.git'), { recursive: true })
    mkdirSync(here.path('data/artifacts/1'), { recursive: true })
    writeFileSync(here.path('data/artifacts/1/orphan'), 'x')
    const database = new Database(here.path('data/deskforge.db'))
    database.exec(
      `INSERT INTO uploads (project_id, secret, file_name, size, created_at) VALUES (1, 'abc', 'gone.txt', 4, '2026-01-01');
       INSERT INTO jobs (name, args, state, error, run_at, created_at) VALUES ('some.job', '{}', 'failed', 'It broke.', '2026-01-01', '2026-01-01')`,
    )
    database.close()
    const found = findings('--repair')
    expect(found.map(({ check }) => check).toSorted()).toEqual(['files', 'jobs', 'orphans', 'orphans'])
    expect(found.every(({ state }) => state === 'found')).toBe(true)
    const text = found.map(({ sentence }) => sentence).join('\n')
    for (const part of [
      'foreign.git',
      'artifacts/1/orphan',
      'gone.txt is not there',
      'some.job failed permanently: It broke.',
    ])
      expect(text).toContain(part)
    rmSync(repository(), { recursive: true })
    const { status, stdout } = doctor()
    expect(stdout).toContain('The project 1 (root/one) has no repository at')
    expect(status).toBe(1)
  })

  it('finds a missing or wrong key, and damaged objects', async () => {
    await filled()
    const key = here.path('data/secrets.key')
    writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    expect(findings()).toContainEqual(
      expect.objectContaining({
        check: 'keys',
        sentence: `1 of 1 sealed values of ci_variables.value do not open with the key in ${key}.`,
      }),
    )
    rmSync(key)
    expect(findings().some(({ sentence }) => sentence.includes('is missing; restore it'))).toBe(true)
    const objects = join(repository(), 'objects')
    for (const entry of readdirSync(objects, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) rmSync(join(entry.parentPath, entry.name))
    expect(findings('--deep').some(({ check }) => check === 'objects')).toBe(true)
  })

  it('reports in one sentence why it cannot run', () => {
    expect(doctor()).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `There is no database in ${here.path('data')}.\n`,
    })
    mkdirSync(here.path('data'))
    writeFileSync(here.path('data/deskforge.db'), 'This is a letter.\n'.repeat(100))
    expect(doctor()).toMatchObject({ status: 2, stdout: '' })
    expect(JSON.parse(doctor('--json').stdout)).toMatchObject({
      error: expect.stringMatching(/\.$/) as string,
    })
  })
})
