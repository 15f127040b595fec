import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { backupCommand, restoreCommand, verifyCommand } from '../../../server/domains/backups/index.ts'
import { filesBelow, refsOf, repositoriesBelow, rowsOf } from '../../support/same-instance.ts'
import { world, type TestUser, type World } from '../../support/world.ts'
import { fill, watchEvents } from '../repository/fill.ts'

let w: World
let user: TestUser
let here: string
let fast: string
let backup: {
  id: number
  file: string
  size: number
  sha256: string
  contents: { counts: Record<string, number> }
}

const at = (name: string): string => join(here, name)
const lines: string[] = []
const say = (line: string): void => void lines.push(line)
const folder = (): string => join(w.dataDir, 'backups')
const PASSPHRASE = 'a passphrase of some length'

async function made(body: object = {}) {
  const queued = await w.as(w.root).post('/-/admin/backups', body)
  expect(queued.status).toBe(201)
  await w.drain()
  const { body: rows } = await w.as(w.root).get('/-/admin/backups')
  return rows.find((row: { id: number }) => row.id === queued.body.id)
}

beforeAll(async () => {
  here = mkdtempSync(join(tmpdir(), 'deskforge-backups-'))
  fast = at('fast')
  w = await world({ storages: { fast } })
  user = w.make.user({ username: 'somebody' })
  const project = await w.make.project({ owner: user, with: 'readme', name: 'kept' })
  fill(w, project, [{ files: { 'a.txt': 'one\n' } }, { branch: 'side', files: { 'ü b.txt': 'two\n' } }])
  const form = new FormData()
  form.set('file', new Blob(['some notes']), 'notes.txt')
  await w.as(user).post(`/projects/${project.id}/uploads`, form)
  await w.as(user).post('/snippets', {
    title: 's',
    visibility: 'private',
    files: [{ file_path: 'x.rb', content: 'puts 1' }],
  })
  await w.as(w.root).post(`/projects/${project.id}/variables`, { key: 'SECRET', value: 'sealed value' })
  const elsewhere = await w.make.project({ owner: user, with: 'readme', name: 'elsewhere' })
  await w.drain()
  moveTo('fast', elsewhere.id)
  backup = await made()
})

/** Puts a repository into another storage, as a move does in the end. */
function moveTo(storage: string, id: number): void {
  const { db } = w.ctx()
  const { disk_path } = db.one<{ disk_path: string }>('SELECT disk_path FROM projects WHERE id = ?', id)!
  const from = join(w.dataDir, 'repositories', disk_path)
  const to = join(fast, disk_path)
  mkdirSync(join(to, '..'), { recursive: true })
  renameSyncOver(from, to)
  db.exec('UPDATE projects SET repository_storage = ? WHERE id = ?', storage, id)
}

afterAll(() => rmSync(here, { recursive: true, force: true }))

describe('a backup', () => {
  it('lists its content, and is readable only for its owner', () => {
    expect(backup).toMatchObject({
      state: 'finished',
      origin: 'asked',
      is_sealed: false,
      asked_by: 'root',
      error: null,
      version: '15.11.13-ee',
      file: expect.stringMatching(/^deskforge-15\.11\.13-ee-\d{8}-\d{6}\.backup$/),
      contents: {
        counts: { projects: 2, users: expect.any(Number), repositories: 3 },
        storages: ['default', 'fast'],
      },
    })
    const info = statSync(join(folder(), backup.file))
    expect(info.size).toBe(backup.size)
    expect(info.mode & 0o777).toBe(0o600)
    // The backup left no temporary files.
    expect(readdirSync(folder()).filter((name) => name !== backup.file)).toEqual([])
    expect(readdirSync(join(w.dataDir, 'repositories')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('is restored to the same rows, refs and files, and a server starts on them', async () => {
    const target = at('same')
    await restoreCommand({
      file: join(folder(), backup.file),
      dataDir: target,
      storages: {},
      force: false,
      say,
    })
    expect(lines.at(-1)).toContain(`is in ${target}`)
    const changing = new Set([
      'backups',
      'jobs',
      'cron_runs',
      'sqlite_sequence',
      'personal_access_tokens',
      'repository_storages',
      'audit_events',
    ])
    const [before, after] = [rowsOf(join(w.dataDir, 'deskforge.db')), rowsOf(join(target, 'deskforge.db'))]
    expect(Object.keys(after)).toEqual(Object.keys(before))
    for (const table of Object.keys(before).filter((name) => !changing.has(name)))
      expect(after[table], table).toEqual(before[table])
    for (const part of ['uploads', 'artifacts', 'secure_files', 'ssh'])
      expect(filesBelow(join(target, part)), part).toEqual(filesBelow(join(w.dataDir, part)))
    expect(Object.keys(filesBelow(join(target, 'uploads')))).toHaveLength(1)
    expect(readFileSync(join(target, 'secrets.key'))).toEqual(readFileSync(join(w.dataDir, 'secrets.key')))
    expect(sameRepositories(join(w.dataDir, 'repositories'), join(target, 'repositories'))).toBe(2)
    // A storage without a given folder is restored into the data folder, because the other instance may still use its folder.
    expect(sameRepositories(fast, join(target, 'storages', 'fast'))).toBe(1)
    const other = await world({ dataDir: target })
    for (const path of [
      '/projects',
      '/users',
      '/projects/somebody%2Fkept/repository/tree?ref=side',
      '/projects/somebody%2Felsewhere/repository/commits',
      '/projects/somebody%2Fkept/variables',
    ])
      expect((await other.as(other.root).get(path)).text.replaceAll(other.url, w.url)).toBe(
        (await w.as(w.root).get(path)).text,
      )
    // The backup contains its own row as running, and the restore does not list it.
    expect((await other.as(other.root).get('/-/admin/backups')).body).toEqual([])
    const { body } = await other.as(other.root).get('/-/admin/backups/overview')
    expect(body.last_restore).toMatchObject({ file: backup.file, aside: null })
  })

  it('can be downloaded as a whole and in ranges', async () => {
    const bytes = readFileSync(join(folder(), backup.file))
    const get = (range?: string) =>
      fetch(`${w.url}/-/admin/backups/${backup.id}/download`, {
        headers: { 'private-token': w.root.token, ...(range ? { range } : {}) },
      })
    const whole = await get()
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="${backup.file}"`)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await get('bytes=100-199')
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true)
    expect(Buffer.from(await (await get('bytes=-10')).arrayBuffer()).equals(bytes.subarray(-10))).toBe(true)
    const beyond = await get(`bytes=${bytes.length}-`)
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  })
})

describe('requests for backups', () => {
  it('are limited to administrators', async () => {
    for (const who of [user, null]) {
      const status = who ? 403 : 401
      const client = w.as(who)
      expect((await client.get('/-/admin/backups')).status).toBe(status)
      expect((await client.get('/-/admin/backups/overview')).status).toBe(status)
      expect((await client.get(`/-/admin/backups/${backup.id}/download`)).status).toBe(status)
      expect((await client.post('/-/admin/backups')).status).toBe(status)
      expect((await client.delete(`/-/admin/backups/${backup.id}`)).status).toBe(status)
      expect(
        (await client.post('/-/admin/backups/restore', { backup_id: backup.id, confirm: true })).status,
      ).toBe(status)
      const form = new FormData()
      form.set('file', new Blob(['x']), 'x.backup')
      expect((await client.post('/-/admin/backups/upload', form)).status).toBe(status)
    }
    expect((await w.as(null).post('/-/local/backups', {})).status).toBe(401)
    expect((await w.as(null).post('/-/local/backups', {}, { authorization: 'Bearer x' })).status).toBe(401)
  })

  it('are refused for other users before the file has arrived', async () => {
    const boundary = 'x'
    const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes`
    const statusFor = (headers: object): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const type = `multipart/form-data; boundary=${boundary}`
        const sent = request(`${w.url}/-/admin/backups/upload`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type, 'content-length': 2 ** 40 },
        })
        sent.on('error', reject)
        sent.on('response', ({ statusCode }) => {
          resolve(statusCode)
          sent.off('error', reject).on('error', () => {})
          sent.destroy()
        })
        sent.write(start)
      })
    expect(await statusFor({})).toBe(401)
    expect(await statusFor({ 'private-token': user.token })).toBe(403)
  })

  it('are refused with invalid values', async () => {
    const root = w.as(w.root)
    expect((await root.post('/-/admin/backups', { passphrase: 'short' })).body).toEqual({
      message: 'A passphrase needs at least 8 characters.',
    })
    expect((await root.post('/-/admin/backups/999/cancel')).status).toBe(404)
    expect((await root.post(`/-/admin/backups/${backup.id}/cancel`)).status).toBe(409)
    expect((await root.delete('/-/admin/backups/999')).status).toBe(404)
    expect(
      (await root.post('/-/admin/backups/restore', { backup_id: backup.id, confirm: false })).status,
    ).toBe(400)
    expect((await root.post('/-/admin/backups/restore', { backup_id: 999, confirm: true })).status).toBe(404)
    const form = new FormData()
    form.set('file', new Blob(['something else']), 'x.backup')
    expect((await root.post('/-/admin/backups/upload', form)).body).toEqual({
      message: 'This file is not a backup of Deskforge.',
    })
  })

  it('are refused while another backup is running, which can be canceled', async () => {
    const root = w.as(w.root)
    const { body } = await root.post('/-/admin/backups')
    const [second, removal] = [
      await root.post('/-/admin/backups'),
      await root.delete(`/-/admin/backups/${body.id}`),
    ]
    expect([second.status, removal.status]).toEqual([409, 409])
    const cancelled = await root.post(`/-/admin/backups/${body.id}/cancel`)
    expect(cancelled.body).toMatchObject({ state: 'cancelled', file: null })
    await w.drain()
    expect(readdirSync(folder()).filter((name) => /part$|^\./.test(name))).toEqual([])
  })

  it('set the schedule, with an encrypted passphrase', async () => {
    const root = w.as(w.root)
    const set = await root.put('/-/admin/backups/schedule', {
      frequency: 'daily',
      hour: 4,
      keep: 3,
      passphrase: PASSPHRASE,
    })
    expect(set.body).toEqual({ frequency: 'daily', hour: 4, weekday: 0, keep: 3, is_sealed: true })
    const schedule = w.ctx().db.one<{ passphrase: string }>('SELECT passphrase FROM backup_schedule')!
    expect(schedule.passphrase).not.toContain(PASSPHRASE)
    expect((await root.put('/-/admin/backups/schedule', { passphrase: '' })).body).toMatchObject({
      frequency: 'daily',
      is_sealed: false,
    })
    expect((await root.put('/-/admin/backups/schedule', { hour: 24 })).status).toBe(400)
  })
})

describe('the command line', () => {
  it('requests a backup from the running instance, and writes it to the given path', async () => {
    const to = at('asked.backup')
    await backupCommand({ dataDir: w.dataDir, storages: {}, version: '1', to, say })
    expect(lines.at(-1)).toContain(`The backup is ${to}`)
    await verifyCommand({ file: to, say })
    // The list does not contain this backup.
    const { body: rows } = await w.as(w.root).get('/-/admin/backups')
    expect(
      rows.filter((row: { state: string; file: string }) => row.state === 'finished' && row.file === null),
    ).toEqual([])
    await expect(backupCommand({ dataDir: w.dataDir, storages: {}, version: '1', to, say })).rejects.toThrow(
      'already exists',
    )
  })

  it('makes the backup itself if no instance is running', async () => {
    const dataDir = at('still')
    const storages = { fast: at('still-fast') }
    await restoreCommand({ file: join(folder(), backup.file), dataDir, storages, force: false, say })
    expect(sameRepositories(fast, storages.fast)).toBe(1)
    await backupCommand({ dataDir, storages, version: '2.0', say })
    const [name] = readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.backup'))
    expect(name).toMatch(/^deskforge-2\.0-/)
    await expect(
      restoreCommand({ file: join(dataDir, 'backups', name!), dataDir, storages: {}, force: false, say }),
    ).rejects.toThrow('is not empty')
    writeFileSync(join(dataDir, 'uploads', 'later.txt'), 'x')
    await restoreCommand({ file: join(dataDir, 'backups', name!), dataDir, storages: {}, force: true, say })
    const aside = /The previous content is in (.+)\.$/.exec(lines.at(-1)!)![1]!
    expect(aside).toMatch(new RegExp(`^${dataDir}\\.before-restore-`))
    expect(existsSync(join(aside, 'uploads', 'later.txt'))).toBe(true)
    expect(existsSync(join(dataDir, 'uploads', 'later.txt'))).toBe(false)
    expect(rowsOf(join(dataDir, 'deskforge.db'))['users']).toEqual(
      rowsOf(join(aside, 'deskforge.db'))['users'],
    )
    expect(existsSync(join(dataDir, 'backups', name!))).toBe(true)
  })
})

describe('an encrypted backup', () => {
  it('can be opened only with its passphrase, and replaces older backups above the number to keep', async () => {
    const received = watchEvents(w, 'backup.changed')
    const sealed = await made({ passphrase: PASSPHRASE, keep: 1 })
    expect(sealed).toMatchObject({ state: 'finished', is_sealed: true })
    expect(received.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['queued', 'running', 'finished']),
    )
    const file = join(folder(), sealed.file)
    // Older ones are replaced.
    expect(existsSync(join(folder(), backup.file))).toBe(false)
    expect(readFileSync(file).includes('secrets.key')).toBe(false)
    const keyFile = (text: string): string => {
      writeFileSync(at('passphrase'), `${text}\n`)
      return at('passphrase')
    }
    await expect(verifyCommand({ file, say })).rejects.toThrow('it needs its passphrase')
    await expect(verifyCommand({ file, passphraseFile: keyFile('another passphrase'), say })).rejects.toThrow(
      'The passphrase does not open this backup.',
    )
    await verifyCommand({ file, passphraseFile: keyFile(PASSPHRASE), say })
    expect(lines.at(-1)).toContain('is whole')
    const bytes = readFileSync(file)
    writeFileSync(at('cut.backup'), bytes.subarray(0, bytes.length - 100))
    await expect(
      verifyCommand({ file: at('cut.backup'), passphraseFile: at('passphrase'), say }),
    ).rejects.toThrow('damaged or cut off')
    bytes[bytes.length - 40]! ^= 1
    writeFileSync(at('flipped.backup'), bytes)
    await expect(
      verifyCommand({ file: at('flipped.backup'), passphraseFile: at('passphrase'), say }),
    ).rejects.toThrow('damaged or cut off')
    expect((await w.as(w.root).delete(`/-/admin/backups/${sealed.id}`)).status).toBe(204)
    expect(existsSync(file)).toBe(false)
  })
})

function sameRepositories(text: string, other: string): number {
  const paths = repositoriesBelow(text)
  expect(repositoriesBelow(other)).toEqual(paths)
  for (const path of paths) {
    const found = refsOf(join(other, path))
    expect(found.problems).toBe('')
    expect(found, path).toEqual(refsOf(join(text, path)))
  }
  return paths.length
}

function renameSyncOver(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  renameSync(from, to)
}
