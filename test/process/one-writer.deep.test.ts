import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { isPossible } from '../support/possible.ts'
import { cleanEnv, cli, scratch, type Scratch } from '../support/server-process.ts'

const TOKEN = 'token-of-the-one-writer'
const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

const start = (folder: string) =>
  here.start({ dataDir: here.path(folder), env: { DESKFORGE_ROOT_TOKEN: TOKEN } })

/** Starts an instance, creates private projects with these names, and stops. */
async function filled(folder: string, ...names: string[]): Promise<void> {
  const instance = start(folder)
  const url = await instance.url
  for (const name of names) expect((await make(url, name)).status).toBe(201)
  expect(await instance.stop()).toMatchObject({ code: 0 })
}

async function make(url: string, name: string): Promise<Response> {
  const body = JSON.stringify({ name, visibility: 'private', initialize_with_readme: true })
  return fetch(`${url}/api/v4/projects`, { method: 'POST', headers, body })
}

async function readme(url: string, id: number): Promise<string> {
  const file = `${url}/api/v4/projects/${id}/repository/files/README.md/raw?ref=main`
  return (await fetch(file, { headers })).text()
}

function removeDatabase(folder: string): void {
  for (const name of readdirSync(here.path(folder)))
    if (name.startsWith('deskforge.db')) rmSync(here.path(`${folder}/${name}`))
}

/** Expects that the start fails with one matching sentence, which also names the command for a restore. */
async function expectRefusal(folder: string, pattern: RegExp): Promise<void> {
  const ended = await start(folder).ended
  expect(ended.code).toBe(1)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  expect(ended.stderr).toMatch(pattern)
  expect(ended.stderr).toContain('deskforge restore FILE')
}

describe('a database next to repositories', () => {
  it('is refused when it is missing or empty', async () => {
    await filled('data', 'secret')
    removeDatabase('data')
    await expectRefusal('data', /is missing, but .* has repositories/)
    expect(existsSync(here.path('data/deskforge.db'))).toBe(false)
    writeFileSync(here.path('data/deskforge.db'), '')
    await expectRefusal('data', /is empty, but .* has repositories/)
  })

  it('is refused when it is new, or belongs to another instance', async () => {
    await filled('data', 'secret')
    await filled('fresh')
    await filled('other', 'theirs')
    for (const from of ['fresh', 'other']) {
      removeDatabase('data')
      cpSync(here.path(`${from}/deskforge.db`), here.path('data/deskforge.db'))
      await expectRefusal('data', /does not belong to the same instance/)
    }
    // The folder of an earlier release has no instance ID, but has repositories.
    rmSync(here.path('data/repositories/instance.id'))
    removeDatabase('data')
    cpSync(here.path('fresh/deskforge.db'), here.path('data/deskforge.db'))
    await expectRefusal('data', /has no records of the repositories/)
  })

  it('is accepted as a new instance after the repositories were moved away', async () => {
    await filled('data', 'secret')
    removeDatabase('data')
    rmSync(here.path('data/repositories'), { recursive: true })
    const url = await start('data').url
    expect((await make(url, 'another')).status).toBe(201)
    expect(await readme(url, 1)).toBe('# another\n')
  })

  it('of an earlier release gets an ID', async () => {
    await filled('data', 'kept')
    const database = new Database(here.path('data/deskforge.db'))
    database.exec(
      "DROP TABLE instance_identity; DELETE FROM schema_migrations WHERE name LIKE '%_settings_instance_identity'",
    )
    database.close()
    for (const hasId of [true, false]) {
      if (!hasId) rmSync(here.path('data/repositories/instance.id'))
      const instance = start('data')
      expect(await readme(await instance.url, 1)).toBe('# kept\n')
      expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
      expect(readFileSync(here.path('data/repositories/instance.id'), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/)
    }
  })

  it('never gives a new project the repository at its path', async () => {
    await filled('data', 'first')
    await filled('model', 'one', 'two')
    const path = repositoriesIn('model').find((repository) => !repositoriesIn('data').includes(repository))!
    cpSync(here.path(`model/repositories/${path}`), here.path(`data/repositories/${path}`), {
      recursive: true,
    })
    const url = await start('data').url
    expect((await make(url, 'second')).status).toBe(201)
    expect(await readme(url, 2)).toBe('# second\n')
    const siblings = readdirSync(here.path(`data/repositories/${path}/..`))
    expect(siblings.some((name) => /\.git\.found-[0-9a-f]+$/.test(name))).toBe(true)
  })
})

function repositoriesIn(folder: string): string[] {
  return readdirSync(here.path(`${folder}/repositories`), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.git'))
}

const hasRights = isPossible(process.platform !== 'win32', 'Windows has rights of another kind.')

describe.runIf(hasRights)('the rights of a data folder', () => {
  const modeOf = (path: string) => statSync(here.path(path)).mode & 0o777

  it('are limited to the owner, whatever they were', async () => {
    mkdirSync(here.path('data'), { mode: 0o755 })
    chmodSync(here.path('data'), 0o755)
    await filled('data', 'secret')
    expect(modeOf('data')).toBe(0o700)
    expect(
      readFileSync(here.path('data/logs/deskforge.log'), 'utf8').match(/its rights are now 700/g),
    ).toHaveLength(1)
    const entries = readdirSync(here.path('data'), { recursive: true, withFileTypes: true })
    const open = entries
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0)
    expect(open).toEqual([])
  })

  it('are unchanged for a folder with files of others, except for the folders of the instance', async () => {
    mkdirSync(here.path('data/uploads'), { recursive: true })
    writeFileSync(here.path('data/letter.txt'), 'somebody else')
    for (const name of ['data', 'data/uploads']) chmodSync(here.path(name), 0o755)
    await filled('data', 'secret')
    expect([modeOf('data'), modeOf('data/letter.txt') & 0o044]).toEqual([0o755, 0o044])
    const ours = readdirSync(here.path('data')).filter((name) => name !== 'letter.txt')
    expect(ours).toEqual(expect.arrayContaining(['uploads', 'repositories', 'deskforge.db', 'logs']))
    expect(ours.filter((name) => (modeOf(`data/${name}`) & 0o077) !== 0)).toEqual([])
  })

  it('are refused if everybody may write to a folder with files of others', async () => {
    mkdirSync(here.path('data'))
    writeFileSync(here.path('data/letter.txt'), 'somebody else')
    chmodSync(here.path('data'), 0o777)
    const ended = await start('data').ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^Everyone can write to the folder .*\.\n$/)
    expect(readdirSync(here.path('data')).filter((name) => !name.startsWith('instance.'))).toEqual([
      'letter.txt',
    ])
  })
})

it('a manual upgrade is refused while an instance runs', async () => {
  const instance = start('data')
  const url = await instance.url
  const args = [cli, 'migrate', '--data-dir', here.path('data')]
  const { status, stderr } = spawnSync(process.execPath, args, { env: cleanEnv({}), encoding: 'utf8' })
  expect(stderr).toBe(
    `Another instance (process ${instance.child.pid}, ${url}) already uses the data folder ${here.path('data')}.\n`,
  )
  expect(status).toBe(1)
})
