import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { world, type World } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'

let w: World
let dataDir: string
let fast: string
const PASSPHRASE = 'a passphrase of some length'

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'deskforge-restore-'))
  fast = mkdtempSync(join(tmpdir(), 'deskforge-restore-fast-'))
  w = await world({ dataDir, storages: { fast } })
})

afterAll(() => {
  for (const name of readdirSync(dirname(dataDir)))
    if (name.startsWith(`${basename(dataDir)}.before-restore-`))
      rmSync(join(dirname(dataDir), name), { recursive: true })
  rmSync(fast, { recursive: true, force: true })
})

const root = () => w.as(w.root)

async function made(passphrase?: string) {
  const { body } = await root().post('/-/admin/backups', passphrase ? { passphrase } : {})
  await w.drain()
  return body.id as number
}

/** Restarts the instance on its own request, as `serve` and the desktop application do. */
async function restart(): Promise<void> {
  await w.instance.restartRequested
  await w.instance.close()
  w = await world({ dataDir, storages: { fast } })
}

it('the instance restores a backup, and moves the previous content to another folder', async () => {
  await root().put('/application/settings', { repository_storages_weighted: { fast: 100, default: 0 } })
  const before = await w.make.project({ with: 'readme', name: 'kept' })
  const id = await made()
  const lost = await w.make.project({ with: 'readme', name: 'lost' })
  expect(readdirSync(fast, { recursive: true }).filter((name) => String(name).endsWith('.git'))).toHaveLength(
    2,
  )
  const received = watchEvents(w, 'backup.changed')
  const begun = await root().post('/-/admin/backups/restore', { backup_id: id, confirm: true })
  expect(begun).toMatchObject({ status: 201, body: { backup_id: id, state: 'running', error: null } })
  expect((await root().post('/-/admin/backups')).status).toBe(409)
  await restart()
  expect(received.map(({ state }) => state)).toContain('restore_restarting')
  expect((await root().get(`/projects/${before.id}/repository/tree`)).body).toHaveLength(1)
  expect((await root().get(`/projects/${lost.id}`)).status).toBe(404)
  const { body } = await root().get('/-/admin/backups/overview')
  expect(body).toMatchObject({
    restore: null,
    last_restore: { aside: expect.stringContaining('.before-restore-') },
  })
  expect(existsSync(join(body.last_restore.aside, 'deskforge.db'))).toBe(true)
  // The backup still exists, found by its file.
  const { body: rows } = await root().get('/-/admin/backups')
  expect(rows).toMatchObject([{ origin: 'found', state: 'finished', contents: { counts: { projects: 1 } } }])
  expect(readdirSync(dataDir)).not.toContain('restore')
  // The second storage is restored too; its previous content is still in it.
  const aside = readdirSync(fast).filter((name) => name.startsWith('.before-restore-'))
  expect(aside).toHaveLength(1)
  expect(
    readdirSync(fast, { recursive: true }).filter(
      (name) => String(name).endsWith('.git') && !String(name).startsWith('.'),
    ),
  ).toHaveLength(1)
})

it('the instance accepts an uploaded file, also an encrypted one, and reports its errors', async () => {
  const id = await made(PASSPHRASE)
  const { body: row } = (await root().get('/-/admin/backups')) as { body: { id: number; file: string }[] }
  const file = join(dataDir, 'backups', row.find((backup) => backup.id === id)!.file)
  const form = new FormData()
  form.set('file', new Blob([readFileSync(file)]), 'mine.backup')
  const { status, body: uploaded } = await root().post('/-/admin/backups/upload', form)
  expect([status, uploaded.origin, uploaded.is_sealed, uploaded.contents]).toEqual([
    201,
    'uploaded',
    true,
    null,
  ])
  const restore = (passphrase?: string) =>
    root().post('/-/admin/backups/restore', {
      backup_id: uploaded.id,
      confirm: true,
      ...(passphrase ? { passphrase } : {}),
    })
  expect((await restore()).body).toEqual({ message: 'The backup is sealed: it needs its passphrase.' })
  expect((await restore('another passphrase')).status).toBe(201)
  const failed = () =>
    root()
      .get('/-/admin/backups/overview')
      .then(({ body }) => body.restore)
  await expect
    .poll(failed)
    .toMatchObject({ state: 'failed', error: 'The passphrase does not open this backup.' })
  expect(existsSync(join(dataDir, 'restore'))).toBe(false)
  expect((await restore(PASSPHRASE)).status).toBe(201)
  await restart()
  expect((await root().get('/projects')).body.map(({ name }: { name: string }) => name)).toEqual(['kept'])
})

it('the instance reverts to the previous content if the instance cannot start on the restored one', async () => {
  const id = await made()
  await root().put('/application/settings', { default_branch_name: 'later' })
  await root().post('/-/admin/backups/restore', { backup_id: id, confirm: true })
  await w.instance.restartRequested
  await w.instance.close()
  const staged = join(dataDir, 'restore', 'deskforge.db')
  // The database is damaged after its check, as by a failing disk.
  const { truncateSync } = await import('node:fs')
  truncateSync(staged, 5000)
  await expect(world({ dataDir, storages: { fast } })).rejects.toThrow(/database/)
  w = await world({ dataDir, storages: { fast } })
  expect((await root().get('/application/settings')).body.default_branch_name).toBe('later')
})

it('the instance completes an interrupted restore', async () => {
  const { db, now } = w.ctx()
  db.exec(
    "INSERT INTO backups (state, origin, created_at, updated_at) VALUES ('running', 'asked', ?, ?)",
    now,
    now,
  )
  await w.instance.close()
  w = await world({ dataDir, storages: { fast } })
  const { body } = await root().get('/-/admin/backups')
  expect(body[0]).toMatchObject({
    state: 'failed',
    error: 'The instance was stopped while the backup was being made.',
  })
})
