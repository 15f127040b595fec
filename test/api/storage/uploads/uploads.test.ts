import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let owner: TestUser
let stranger: TestUser
let secretProject: number
let openProject: number

const form = (name: string, content: string | Uint8Array<ArrayBuffer>): FormData => {
  const data = new FormData()
  data.set('file', new Blob([content]), name)
  return data
}

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  stranger = w.make.user({ username: 'stranger' })
  secretProject = (await w.as(owner).post('/projects', { name: 'hidden' })).body.id
  openProject = (await w.as(owner).post('/projects', { name: 'open', visibility: 'public' })).body.id
})

describe('POST /projects/:id/uploads', () => {
  it('stores the file and returns its Markdown', async () => {
    const answer = await w.as(owner).post(`/projects/${secretProject}/uploads`, form('my notes.txt', 'hello'))
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      alt: 'my_notes.txt',
      url: expect.stringMatching(/^\/uploads\/[0-9a-f]{32}\/my_notes\.txt$/),
      full_path: `/owner/hidden${answer.body.url}`,
      markdown: `[my_notes.txt](${answer.body.url})`,
    })
    const read = await w.as(owner).get(`!${answer.body.full_path}`)
    expect(read.status).toBe(200)
    expect(read.text).toBe('hello')
    expect(read.headers.get('content-type')).toContain('text/plain')
    const byId = await w.as(owner).get(`!/-/project/${secretProject}${answer.body.url}`)
    expect(byId.text).toBe('hello')
    const again = await w
      .as(owner)
      .get(`!${answer.body.full_path}`, { 'if-none-match': read.headers.get('etag')! })
    expect(again.status).toBe(304)
  })

  it('displays images inline, without running their scripts', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const { body } = await w.as(owner).post(`/projects/${openProject}/uploads`, form('a.svg', svg))
    expect(body.markdown).toBe(`![a](${body.url})`)
    const read = await w.as(null).get(`!${body.full_path}`)
    expect(read.status).toBe(200)
    expect(read.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('cleans file names with parent folders, a leading dot or too many characters', async () => {
    for (const [name, cleaned] of [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\evil.exe', 'evil.exe'],
      ['.htaccess', 'htaccess'],
      [`${'x'.repeat(300)}.txt`, `${'x'.repeat(60)}.txt`],
    ] as const) {
      const { status, body } = await w.as(owner).post(`/projects/${openProject}/uploads`, form(name, 'x'))
      expect(status).toBe(201)
      expect(body.url.split('/').at(-1)).toBe(cleaned)
      expect((await w.as(null).get(`!${body.full_path}`)).status).toBe(200)
    }
  })

  it('refuses missing and invalid files, users without access, and large files', async () => {
    const at = `/projects/${openProject}/uploads`
    expect((await w.as(owner).post(at)).body).toEqual({ error: 'file is missing' })
    expect((await w.as(owner).post(at, { file: { path: '/etc/passwd' } })).body).toEqual({
      error: 'file is invalid',
    })
    expect((await w.as(null).post(at, form('a', 'x'))).status).toBe(401)
    expect((await w.as(stranger).post(at, form('a', 'x'))).status).toBe(201)
    const hidden = await w.as(stranger).post(`/projects/${secretProject}/uploads`, form('a', 'x'))
    expect(hidden.status).toBe(404)
    const settings = await w.as(w.root).put('/application/settings', { max_attachment_size: 1 })
    expect(settings.status).toBe(200)
    const large = await w.as(owner).post(at, form('big', new Uint8Array(1024 * 1024 + 1)))
    expect(large.status).toBe(413)
  })

  it('returns 404 for files of a private project without access, even with the URL', async () => {
    const { body } = await w.as(owner).post(`/projects/${secretProject}/uploads`, form('a.txt', 'secret'))
    for (const client of [w.as(null), w.as(stranger)]) {
      expect((await client.get(`!${body.full_path}`)).status).toBe(404)
      expect((await client.get(`!/-/project/${secretProject}${body.url}`)).status).toBe(404)
    }
    // The secret is not valid in the URL of another project.
    expect((await w.as(owner).get(`!/owner/open${body.url}`)).status).toBe(404)
    await w.as(owner).put(`/projects/${secretProject}`, { enforce_auth_checks_on_uploads: false })
    expect((await w.as(null).get(`!${body.full_path}`)).text).toBe('secret')
  })

  it('requires a token scope that can read the project', async () => {
    const { body } = await w.as(owner).post(`/projects/${secretProject}/uploads`, form('a.txt', 'secret'))
    await w.as(owner).put(`/projects/${secretProject}`, { enforce_auth_checks_on_uploads: true })
    const withScope = (scope: string) => w.as({ ...owner, token: w.make.token(owner, [scope]) })
    expect((await withScope('read_api').get(`!${body.full_path}`)).text).toBe('secret')
    for (const scope of ['read_user', 'read_repository'])
      expect((await withScope(scope).get(`!${body.full_path}`)).status).toBe(404)
  })

  it('is deleted with its project', async () => {
    const { body: project } = await w.as(owner).post('/projects', { name: 'short-lived' })
    await w.as(owner).post(`/projects/${project.id}/uploads`, form('a.txt', 'x'))
    const folder = join(w.dataDir, 'uploads', 'project', String(project.id))
    expect(existsSync(folder)).toBe(true)
    await w.as(owner).delete(`/projects/${project.id}`)
    await w.drain()
    expect(existsSync(folder)).toBe(false)
  })
})
