import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isPossible } from '../support/possible.ts'
import { cleanEnv, cli, scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'
import { btrfsDisk, hasBtrfs, NEEDS_BTRFS, type SmallDisk } from '../support/small-disk.ts'

// On btrfs with quotas, the connection of the instance excludes all others (decision 151). Threads read copies.

const TOKEN = 'token-of-the-quota'

let here: Scratch
let disk: SmallDisk
let dataDir: string
let instance: RunningProcess
let url: string

async function start(): Promise<void> {
  instance = here.start({ dataDir, env: { DESKFORGE_ROOT_TOKEN: TOKEN } })
  url = await instance.url
}

async function ask(method: string, path: string, body?: object | FormData) {
  const isForm = body instanceof FormData
  const answer = await fetch(url + (path.startsWith('/-/') ? path : `/api/v4${path}`), {
    method,
    headers: { 'private-token': TOKEN, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as any }
}

const deskforge = (...args: string[]) =>
  spawnSync(process.execPath, [cli, ...args, '--data-dir', dataDir], {
    env: cleanEnv({}),
    encoding: 'utf8',
  })

const download = (path: string): Promise<Response> =>
  fetch(`${url}/api/v4${path}`, { headers: { 'private-token': TOKEN } })

describe.runIf(isPossible(hasBtrfs(), NEEDS_BTRFS))('a data folder with a quota of btrfs', () => {
  beforeAll(async () => {
    here = scratch()
    disk = btrfsDisk(['data']) as SmallDisk
    dataDir = join(disk.folder, 'data')
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    await start()
    await ask('POST', '/groups', { name: 'team', path: 'team' })
    await ask('POST', '/projects', { name: 'main-project', initialize_with_readme: true })
    await ask('POST', '/projects/1/issues', { title: 'an issue' })
  })
  afterAll(async () => {
    await here.clear()
    disk.clear()
  })

  it('exports and imports a project', async () => {
    expect(await ask('POST', '/projects/1/export')).toMatchObject({ status: 202 })
    await expect
      .poll(async () => (await ask('GET', '/projects/1/export')).body.export_status)
      .toBe('finished')
    const archive = await (await download('/projects/1/export/download')).blob()
    const form = new FormData()
    form.set('path', 'copy')
    form.set('file', archive, 'export.tar.gz')
    const made = await ask('POST', '/projects/import', form)
    expect(made).toMatchObject({ status: 201 })
    const status = async () => (await ask('GET', `/projects/${made.body.id}/import`)).body.import_status
    await expect.poll(status).toBe('finished')
    expect((await ask('GET', `/projects/${made.body.id}/issues`)).body).toMatchObject([{ title: 'an issue' }])
  })

  it('exports the relations of a group', async () => {
    await ask('PUT', '/application/settings', { bulk_import_enabled: true })
    const { id } = (await ask('GET', '/groups/team')).body
    expect(await ask('POST', `/groups/${id}/export_relations`)).toMatchObject({ status: 202 })
    const states = async () =>
      (await ask('GET', `/groups/${id}/export_relations/status`)).body.map(
        ({ status }: { status: number }) => status,
      )
    await expect.poll(async () => new Set(await states())).toEqual(new Set([1]))
  })

  it('is backed up while it runs, by the API and by the command', async () => {
    expect((await ask('POST', '/-/admin/backups', {})).status).toBe(201)
    const state = async () => (await ask('GET', '/-/admin/backups')).body[0].state
    await expect.poll(state).toBe('finished')
    expect(deskforge('backup', '--to', here.path('own.dfbackup'))).toMatchObject({ status: 0 })
  })

  it('is examined by the doctor only while it is stopped', async () => {
    const meanwhile = deskforge('doctor')
    expect(meanwhile).toMatchObject({ status: 2 })
    expect(meanwhile.stderr).toBe(
      'The running instance does not let other programs read its database, because its disk has quotas; stop it first.\n',
    )
    expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
    expect(deskforge('doctor')).toMatchObject({ status: 0, stdout: 'Everything is as it should be.\n' })
    await start()
    expect((await ask('GET', '/projects/1')).status).toBe(200)
  })
})
