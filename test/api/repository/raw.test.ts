import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const project = await make.project({ visibility: 'private' })
await make.member('projects', project.id, developer, 30)
await make.member('projects', project.id, guest, 10)
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
fill(instance, project, [
  {
    files: {
      'page.html': '<script>alert(1)</script>',
      'image.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'image.png': png,
      'data.bin': Buffer.from([1, 0, 2]),
      'fake.js': 'alert(1)',
      'a/b.txt': 'deep\n',
      empty: '',
    },
  },
  { branch: 'feature/a', from: ':1', files: { 'b.txt': 'of the branch\n' } },
])
const at = `!/${project.path_with_namespace}/-/raw`

describe('GET /<project>/-/raw/<ref>/<path>', () => {
  it('never sends active content that the window could run', async () => {
    const types: Record<string, [string, string]> = {
      'page.html': ['text/plain; charset=utf-8', 'inline'],
      'fake.js': ['text/plain; charset=utf-8', 'inline'],
      'image.svg': ['image/svg+xml', 'inline'],
      'image.png': ['image/png', 'inline'],
      'data.bin': ['application/octet-stream', 'attachment'],
      empty: ['text/plain; charset=utf-8', 'inline'],
    }
    for (const [file, [type, kind]] of Object.entries(types)) {
      const { status, headers } = await as(developer).get(`${at}/main/${file}`)
      expect(status, file).toBe(200)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('content-disposition')).toBe(`${kind}; filename="${file}"; filename*=UTF-8''${file}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
    }
    const download = await as(developer).get(`${at}/main/page.html?download=true`)
    expect(download.headers.get('content-disposition')).toContain('attachment')
  })

  it('finds refs and paths with slashes', async () => {
    expect((await as(developer).get(`${at}/main/a/b.txt`)).text).toBe('deep\n')
    expect((await as(developer).get(`${at}/feature/a/b.txt`)).text).toBe('of the branch\n')
    expect((await as(developer).get(`${at}/feature%2Fa/b.txt`)).text).toBe('of the branch\n')
    for (const path of [
      'main',
      'main/nope',
      'nope/x',
      'main/a',
      'main/../x',
      'main/%2e%2e/x',
      '--all/x',
      'main/%00',
    ]) {
      expect((await as(developer).get(`${at}/${path}`)).status, path).toBe(404)
    }
  })

  it('sends the content again only if it changed', async () => {
    const first = await as(developer).get(`${at}/main/a/b.txt`)
    const again = await as(developer).get(`${at}/main/a/b.txt`, {
      'if-none-match': first.headers.get('etag')!,
    })
    expect([again.status, again.text]).toEqual([304, ''])
    const head = await as(developer).head(`${at}/main/a/b.txt`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5'])
  })

  it('accepts tokens and sessions of users who may read the code', async () => {
    const file = `${at}/main/a/b.txt`
    expect((await as(null).get(file)).status).toBe(404)
    expect((await as(guest).get(file)).status).toBe(403)
    const narrow = { ...developer, token: make.token(developer, ['read_user']) }
    expect((await as(narrow).get(file)).status).toBe(403)
    const session = await as(null).post('/-/session', { login: 'root', password: root.password })
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!
    expect((await as(null).get(file, { cookie })).text).toBe('deep\n')
    await as(root).put(`/projects/${project.id}`, { visibility: 'public' })
    expect((await as(null).get(file)).text).toBe('deep\n')
  })
})

describe('reading one file too often', () => {
  it('is limited by the settings outside of the API', async () => {
    await as(root).put('/application/settings', { raw_blob_request_limit: 2 })
    const file = `${at}/main~0/data.bin`
    const answers = []
    for (let count = 0; count < 3; count++) answers.push(await as(root).get(file))
    expect(answers.map((answer) => answer.status).slice(0, 2)).toEqual([200, 200])
    expect([answers[2]!.status, answers[2]!.text.trim()]).toEqual([
      429,
      'You cannot access the raw file. Please wait a minute.',
    ])
    expect((await as(root).get(`${at}/main/fake.js`)).status).toBe(200)
    await as(root).put('/application/settings', { raw_blob_request_limit: 0 })
    expect((await as(root).get(file)).status).toBe(200)
  })

  it('is limited in the API for large files', async () => {
    fill(instance, project, [{ branch: 'large', files: { large: Buffer.alloc(10 * 1024 * 1024 + 1, 120) } }])
    const file = `/projects/${project.id}/repository/files/large`
    for (let count = 0; count < 5; count++) {
      const answer = await fetch(`${instance.url}/api/v4${file}/raw?ref=large`, {
        headers: { 'private-token': root.token },
      })
      await answer.body?.cancel()
      expect(answer.status).toBe(200)
    }
    expect(await as(root).get(`${file}?ref=large`)).toMatchObject({
      status: 429,
      body: {
        message: { error: 'This endpoint has been requested too many times. Try again later.' },
      },
    })
    expect((await as(root).head(`${file}?ref=large`)).status).toBe(200)
    expect((await as(developer).head(`${file}/raw?ref=large`)).status).toBe(200)
  })
})
