import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { large, LFS, lfsOf } from './client.ts'

const instance = await world()
const { as, make, root, dataDir } = instance
const owner = make.user({ username: 'owner' })
const project = await make.project({ owner })
const path: string = project.path_with_namespace
const open = await make.project({ owner, visibility: 'public' })
const [guest, reporter, developer, maintainer, stranger] = ['g', 'r', 'd', 'm', 's'].map((name) =>
  make.user({ username: `user-${name}` }),
) as [typeof owner, typeof owner, typeof owner, typeof owner, typeof owner]
await make.member('projects', project.id, guest, 10)
await make.member('projects', project.id, reporter, 20)
await make.member('projects', project.id, developer, 30)
await make.member('projects', project.id, maintainer, 40)

const onDisk = (oid: string) => join(dataDir, 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid.slice(4))
const leftovers = () => readdirSync(join(dataDir, 'tmp'))
const sizeOf = async () =>
  (await as(owner).get(`/projects/${project.id}?statistics=true`)).body.statistics.lfs_objects_size

describe('LFS objects', () => {
  it('are uploaded, stored once and downloaded again', async () => {
    const file = large('a large file')
    const { status, headers, body } = await lfsOf(instance, path, owner).batch('upload', [file])
    expect([status, headers.get('content-type')]).toEqual([200, LFS])
    expect(body).toMatchObject({ transfer: 'basic', hash_algo: 'sha256' })
    expect(body.objects[0]).toMatchObject({ oid: file.oid, size: 12, authenticated: true })
    expect(body.objects[0].actions.upload).toMatchObject({
      href: `${instance.url}/${path}.git/info/lfs/objects/${file.oid}/12`,
      expires_in: 1800,
    })
    await lfsOf(instance, path, developer).push(file)
    expect(existsSync(onDisk(file.oid))).toBe(true)
    expect(leftovers()).toEqual([])
    expect(await sizeOf()).toBe(12)
    expect(await lfsOf(instance, path, reporter).pull(file)).toEqual(file.content)
    // A client need not upload an object that the project already has.
    const again = await lfsOf(instance, path, developer).batch('upload', [file])
    expect(again.body.objects[0]).toEqual({ oid: file.oid, size: 12 })
  })

  it('continue an interrupted download', async () => {
    const file = large('0123456789')
    const client = lfsOf(instance, path, owner)
    await client.push(file)
    const part = await client.ask('GET', `objects/${file.oid}`, undefined, { range: 'bytes=4-' })
    expect([part.status, part.headers.get('content-range'), part.bytes.toString()]).toEqual([
      206,
      'bytes 4-9/10',
      '456789',
    ])
    const behind = await client.ask('GET', `objects/${file.oid}`, undefined, { range: 'bytes=10-' })
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const empty = large('')
    await client.push(empty)
    expect(await client.pull(empty)).toEqual(Buffer.alloc(0))
  })

  it('each return an error if they are missing or their name is invalid', async () => {
    const { oid } = large('nobody has this')
    const objects = [{ oid, size: 3 }, { oid: '../../etc', size: 1 }, { oid, size: -1 }, { oid }]
    const { status, body } = await lfsOf(instance, path, owner).ask('POST', 'objects/batch', {
      operation: 'download',
      objects,
    })
    expect(status).toBe(200)
    expect(body.objects.map((object: { error: { code: number } }) => object.error.code)).toEqual([
      404, 422, 422, 422,
    ])
  })

  it('of another project are not available by their digest', async () => {
    const secret = large('the secret of a project')
    await lfsOf(instance, path, owner).push(secret)
    const other = await make.project({ owner: stranger })
    const client = lfsOf(instance, other.path_with_namespace, stranger)
    expect(await client.pull(secret)).toBeUndefined()
    expect((await client.ask('GET', `objects/${secret.oid}`)).status).toBe(404)
    expect((await client.ask('POST', 'verify', { oid: secret.oid, size: secret.size })).status).toBe(404)
    // The instance has the object, but another project has to upload its whole content.
    const [object] = (await client.batch('upload', [secret])).body.objects
    expect(object.actions.upload).toBeDefined()
    expect(
      (await client.ask('PUT', `objects/${secret.oid}/${secret.size}`, Buffer.alloc(secret.size))).status,
    ).toBe(422)
    expect(await client.pull(secret)).toBeUndefined()
    await client.push(secret)
    expect(await client.pull(secret)).toEqual(secret.content)
  })
})

describe('permissions', () => {
  const file = large('rights')
  const may = async (who: typeof owner | null, operation: string, of = path) =>
    (await lfsOf(instance, of, who).batch(operation, [file])).status

  it('follow those of the code', async () => {
    expect(await may(null, 'download')).toBe(401)
    expect(await may(stranger, 'download')).toBe(404)
    expect(await may(guest, 'download')).toBe(403)
    expect(await may(reporter, 'download')).toBe(200)
    expect(await may(reporter, 'upload')).toBe(403)
    expect(await may(developer, 'upload')).toBe(200)
    expect(await may(null, 'download', open.path_with_namespace)).toBe(200)
    expect(await may(null, 'upload', open.path_with_namespace)).toBe(401)
    expect(await may(owner, 'download', 'no/such')).toBe(404)
    expect(await may({ ...owner, token: 'wrong' }, 'download')).toBe(401)
  })

  it('are returned in the form that clients read', async () => {
    const { status, headers, body } = await lfsOf(instance, path).batch('download', [file])
    expect([status, headers.get('content-type')]).toEqual([401, LFS])
    expect(headers.get('lfs-authenticate')).toMatch(/^Basic realm=/)
    expect(body).toMatchObject({ message: expect.any(String), documentation_url: expect.any(String) })
  })

  it('require the scopes of git; a token for reading may not write', async () => {
    const reading = { ...developer, token: make.token(developer, ['read_repository']) }
    const user = { ...developer, token: make.token(developer, ['read_user']) }
    expect(await may(reading, 'download')).toBe(200)
    expect(await may(reading, 'upload')).toBe(403)
    expect(await may(user, 'download')).toBe(403)
  })

  it('of a deploy token allow reading', async () => {
    const params = { name: 'CI', scopes: ['read_repository'] }
    const { body: token } = await as(owner).post(`/projects/${project.id}/deploy_tokens`, params)
    const object = large('for machines')
    await lfsOf(instance, path, owner).push(object)
    expect(await lfsOf(instance, path, token).pull(object)).toEqual(object.content)
    expect(await may(token, 'upload')).toBe(403)
    await as(owner).delete(`/projects/${project.id}/deploy_tokens/${token.id}`)
    expect(await may(token, 'download')).toBe(401)
  })

  it('in a grant end with its token, and are limited to its project and operation', async () => {
    const token = make.token(developer, ['write_repository'])
    const { body } = await lfsOf(instance, path, { ...developer, token }).batch('download', [
      large('a large file'),
    ])
    const { href, header } = body.objects[0].actions.download
    const nobody = lfsOf(instance, path)
    expect((await nobody.ask('GET', href, undefined, header)).status).toBe(200)
    const writing = await nobody.ask('PUT', `objects/${file.oid}/${file.size}`, file.content, header)
    expect(writing.status).toBe(401)
    const elsewhere = lfsOf(instance, open.path_with_namespace)
    expect((await elsewhere.ask('GET', `objects/${file.oid}`, undefined, header)).status).toBe(401)
    instance.ctx().db.exec('UPDATE personal_access_tokens SET revoked = 1 WHERE user_id = ?', developer.id)
    expect((await nobody.ask('GET', href, undefined, header)).status).toBe(401)
    instance.ctx().db.exec('UPDATE personal_access_tokens SET revoked = 0 WHERE user_id = ?', developer.id)
    const forged = { authorization: `Basic ${Buffer.from('lfs:lfs-v1:AAAA').toString('base64')}` }
    expect((await nobody.ask('GET', href, undefined, forged)).status).toBe(401)
  })

  it('are denied to everybody while LFS is disabled', async () => {
    await as(owner).put(`/projects/${project.id}`, { lfs_enabled: false })
    expect(await may(owner, 'download')).toBe(404)
    await as(owner).put(`/projects/${project.id}`, { lfs_enabled: true })
    const group = await make.group({ owner })
    const inGroup = await make.project({ owner, namespace_id: group.id })
    expect(await may(owner, 'download', inGroup.path_with_namespace)).toBe(200)
    await as(owner).put(`/groups/${group.id}`, { lfs_enabled: false })
    expect(await may(owner, 'download', inGroup.path_with_namespace)).toBe(404)
  })

  it('end at the size limit of repositories', async () => {
    await as(root).put('/application/settings', { repository_size_limit: 1 })
    const { status, body } = await lfsOf(instance, path, owner).batch('upload', [
      { oid: file.oid, size: 2 * 1024 * 1024 },
    ])
    await as(root).put('/application/settings', { repository_size_limit: 0 })
    expect(status).toBe(406)
    expect(body.message).toMatch(/has exceeded its size limit of 1 MiB by 1/)
  })
})

describe('wikis', () => {
  it('have their own LFS objects', async () => {
    const file = large('a picture of a wiki')
    const client = lfsOf(instance, `${path}.wiki`, owner)
    await client.push(file)
    expect(await client.pull(file)).toEqual(file.content)
    expect(await lfsOf(instance, path, owner).pull(file)).toBeUndefined()
  })
})

describe('hostile input', () => {
  const file = large('x'.repeat(1000))
  const client = lfsOf(instance, path, owner)

  it('with contents that do not match their digest is refused', async () => {
    const put = (size: number, content: Buffer) => client.ask('PUT', `objects/${file.oid}/${size}`, content)
    expect((await put(1000, Buffer.alloc(1000))).body.message).toMatch(/SHA-256/)
    expect((await put(999, file.content)).status).toBe(422)
    expect((await put(1001, file.content)).status).toBe(422)
    const streamed = (content: Buffer, size: number) =>
      fetch(`${instance.url}/${path}.git/info/lfs/objects/${file.oid}/${size}`, {
        method: 'PUT',
        body: new ReadableStream({
          start(pipe) {
            pipe.enqueue(content)
            pipe.close()
          },
        }),
        duplex: 'half',
        headers: { authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` },
      } as RequestInit)
    expect((await streamed(file.content, 10)).status).toBe(422)
    expect((await streamed(file.content, 2000)).status).toBe(422)
    expect(await client.pull(file)).toBeUndefined()
    expect(existsSync(onDisk(file.oid))).toBe(false)
    expect(leftovers()).toEqual([])
    expect((await streamed(file.content, 1000)).status).toBe(200)
  })

  it('in paths leads nowhere', async () => {
    for (const rest of [
      'objects/..%2f..%2fdeskforge.db',
      `objects/${'A'.repeat(64)}`,
      'objects/',
      'nothing',
      '',
    ])
      expect((await client.ask('GET', rest)).status).toBe(404)
    expect((await client.ask('PUT', `objects/${file.oid}/-1`, file.content)).status).toBe(404)
    expect((await client.ask('PUT', `objects/${file.oid}/1e3`, file.content)).status).toBe(404)
    expect((await lfsOf(instance, `${path}%00`, owner).batch('download', [file])).status).toBe(404)
    expect((await lfsOf(instance, `${path}%E0%A4`, owner).batch('download', [file])).status).toBe(400)
  })

  it('in requests is refused', async () => {
    const batch = async (body: unknown, type = LFS) =>
      (await client.ask('POST', 'objects/batch', body, { 'content-type': type })).status
    expect(await batch({ operation: 'steal', objects: [] })).toBe(422)
    expect(await batch({ operation: 'download' })).toBe(422)
    expect(await batch({ operation: 'download', objects: 'all' })).toBe(422)
    expect(await batch([])).toBe(422)
    expect(await batch({ operation: 'download', objects: [] }, 'text/plain')).toBe(415)
    expect(await batch({ operation: 'download', objects: [], hash_algo: 'md5' })).toBe(409)
    const many = Array.from({ length: 10_001 }, () => ({ oid: file.oid, size: 1 }))
    expect(await batch({ operation: 'download', objects: many })).toBe(422)
    expect(await batch({ operation: 'x'.repeat(5_000_000), objects: [] })).toBe(413)
    const broken = await client.ask('POST', 'objects/batch', Buffer.from('{'), { 'content-type': LFS })
    expect(broken.status).toBe(400)
    expect((await client.ask('POST', 'objects', { oid: file.oid, size: 1 })).status).toBe(501)
  })

  it('in two concurrent uploads leaves one file', async () => {
    const both = large('y'.repeat(200_000))
    const put = () => client.ask('PUT', `objects/${both.oid}/${both.size}`, both.content)
    const answers = await Promise.all([put(), put(), put()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await client.pull(both)).toEqual(both.content)
    expect(leftovers()).toEqual([])
  })

  it('that breaks off leaves nothing', async () => {
    const { oid } = large('never sent')
    const stop = new AbortController()
    const sending = fetch(`${instance.url}/${path}.git/info/lfs/objects/${oid}/1000000`, {
      method: 'PUT',
      signal: stop.signal,
      duplex: 'half',
      body: new ReadableStream({
        start(pipe) {
          pipe.enqueue(Buffer.alloc(1000))
        },
      }),
      headers: { authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` },
    } as RequestInit)
    await expect.poll(() => leftovers().length).toBe(1)
    stop.abort()
    await expect(sending).rejects.toThrow('aborted')
    await expect.poll(leftovers).toEqual([])
  })
})

describe('unreferenced LFS objects', () => {
  it('are deleted a day later, with their content', async () => {
    const mine = large('only of this project')
    const shared = large('of two projects')
    const project = await make.project({ owner })
    const client = lfsOf(instance, project.path_with_namespace, owner)
    await client.push(mine)
    await client.push(shared)
    await lfsOf(instance, path, owner).push(shared)
    const ctx = instance.ctx()
    ctx.db.exec('DELETE FROM lfs_objects_projects WHERE project_id = ?', project.id)
    const { removeUnreferredObjects } = await import('../../../../server/domains/storage/index.ts')
    await removeUnreferredObjects(ctx)
    expect(existsSync(onDisk(mine.oid))).toBe(true)
    const tomorrow = new Date(Date.parse(ctx.now) + 2 * 86_400_000).toISOString()
    await removeUnreferredObjects({ ...ctx, now: tomorrow })
    expect([existsSync(onDisk(mine.oid)), existsSync(onDisk(shared.oid))]).toEqual([false, true])
    expect(await client.pull(mine)).toBeUndefined()
  })

  it('without a row are deleted a day later, too', async () => {
    const noted = large('is noted')
    await lfsOf(instance, path, owner).push(noted)
    const { oid } = large('a crash came before it was noted')
    mkdirSync(dirname(onDisk(oid)), { recursive: true })
    writeFileSync(onDisk(oid), 'x')
    const { removeOrphanedObjects } = await import('../../../../server/domains/storage/index.ts')
    const ctx = instance.ctx()
    await removeOrphanedObjects(ctx)
    expect(existsSync(onDisk(oid))).toBe(true)
    const tomorrow = new Date(Date.parse(ctx.now) + 2 * 86_400_000).toISOString()
    await removeOrphanedObjects({ ...ctx, now: tomorrow })
    expect([existsSync(onDisk(oid)), existsSync(onDisk(noted.oid))]).toEqual([false, true])
  })
})
