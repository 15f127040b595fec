import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { extract } from 'tar-stream'
import { describe, expect, it } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { branchTip } from '../../../server/git/read/revisions.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'

const clock = frozenClock(Date.now())
const { as, root, make, ctx, drain, url, jobs } = await world({ clock })
const owner = make.user({ username: 'owner' })
const maintainer = make.user()
const developer = make.user()
const project = await make.project({ owner, with: 'readme', visibility: 'internal' })
await make.member('projects', project.id, maintainer, 40)
await make.member('projects', project.id, developer, 30)
const at = `/projects/${project.id}`
const repo = () => repoOf(ctx(), projectById(ctx().db, project.id)!)
const packs = () =>
  readdirSync(join(repo().gitDir, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
await drain()

describe('POST /projects/:id/housekeeping', () => {
  it('packs the repository, at most once an hour', async () => {
    expect(packs()).toEqual([])
    const { status, text } = await as(maintainer).post(`${at}/housekeeping`)
    expect([status, text]).toEqual([201, ''])
    await drain()
    expect(packs()).toHaveLength(1)
    expect(await branchTip(repo(), 'main')).toMatch(/^[0-9a-f]{40}$/)
    const again = await as(owner).post(`${at}/housekeeping`)
    expect([again.status, again.body]).toEqual([
      409,
      { message: 'Somebody already triggered housekeeping for this resource in the past 60 minutes' },
    ])
    clock.advance(61 * 60_000)
    expect((await as(owner).post(`${at}/housekeeping`, { task: 'prune' })).status).toBe(201)
    expect((await as(owner).post(`${at}/housekeeping`, { task: 'x' })).body).toEqual({
      error: 'task does not have a valid value',
    })
    await drain()
  })

  it('is limited to maintainers', async () => {
    expect((await as(developer).post(`${at}/housekeeping`)).status).toBe(403)
    expect((await as(null).post(`${at}/housekeeping`)).status).toBe(401)
  })
})

describe('POST /projects/:id/repository_size', () => {
  it('recalculates the size', async () => {
    ctx().db.exec('UPDATE projects SET repository_size = 7 WHERE id = ?', project.id)
    jobs()
    expect((await as(maintainer).post(`${at}/repository_size`)).status).toBe(201)
    expect(jobs()).toContain('repository.update_statistics')
    await drain()
    const { statistics } = (await as(developer).get(`${at}?statistics=true`)).body
    expect(statistics.repository_size).toBeGreaterThan(7)
    expect(statistics.storage_size).toBe(statistics.repository_size)
    expect((await as(developer).post(`${at}/repository_size`)).status).toBe(403)
  })
})

describe('GET /projects/:id/storage', () => {
  it('returns the path of the repository to administrators', async () => {
    const { status, body } = await as(root).get(`${at}/storage`)
    expect(status).toBe(200)
    expect(body).toEqual({
      project_id: project.id,
      disk_path: expect.stringMatching(/^@hashed\/..\/..\/[0-9a-f]{64}$/),
      created_at: project.created_at,
      repository_storage: 'default',
    })
    expect((await as(owner).get(`${at}/storage`)).status).toBe(403)
  })
})

describe('GET /projects/:id/snapshot', () => {
  it('sends administrators the repository as an archive', async () => {
    const response = await fetch(`${url}/api/v4${at}/snapshot`, { headers: { 'private-token': root.token } })
    expect(response.headers.get('content-type')).toBe('application/x-tar')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="snapshot.tar"')
    const files = new Map<string, string>()
    const reader = extract()
    reader.on('entry', (header, stream, next) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk as Buffer))
      stream.on('end', () => {
        files.set(header.name, Buffer.concat(chunks).toString('latin1'))
        next()
      })
    })
    const done = new Promise<void>((resolve, reject) => {
      reader.on('finish', resolve)
      reader.on('error', reject)
    })
    reader.end(Buffer.from(await response.arrayBuffer()))
    await done
    expect(files.get('HEAD')).toBe('ref: refs/heads/main\n')
    expect([...files.keys()].some((name) => name.startsWith('objects/pack/'))).toBe(true)
    expect([...files.keys()].filter((name) => /config|hooks|\.lock$/.test(name))).toEqual([])
  })

  it('is limited to administrators, and returns an error without a wiki', async () => {
    expect((await as(owner).get(`${at}/snapshot`)).status).toBe(403)
    const wiki = await as(root).get(`${at}/snapshot?wiki=true`)
    expect([wiki.status, wiki.body]).toEqual([404, { message: '404 Not Found' }])
  })
})

describe('GET /projects/:id/pages_access', () => {
  it('returns whether the caller may see the pages', async () => {
    const stranger = make.user()
    const statuses = async () => [
      (await as(developer).get(`${at}/pages_access`)).status,
      (await as(stranger).get(`${at}/pages_access`)).status,
      (await as(null).get(`${at}/pages_access`)).status,
    ]
    await as(owner).put(at, { pages_access_level: 'enabled' })
    expect(await statuses()).toEqual([200, 200, 404])
    await as(owner).put(at, { pages_access_level: 'private' })
    expect(await statuses()).toEqual([200, 403, 404])
    await as(owner).put(at, { pages_access_level: 'disabled' })
    expect(await statuses()).toEqual([403, 403, 404])
  })
})
