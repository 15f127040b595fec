import { expect, it } from 'vitest'

import { world, type Answer, type Client } from '../../support/world.ts'

const w = await world()
const owner = w.make.user()

/** Requests that take a while: a file to store, git to run, a text to render. */
const slow: Record<string, (client: Client, at: string) => Promise<Answer>> = {
  upload: (client, at) => {
    const form = new FormData()
    form.append('file', new Blob(['x'.repeat(200_000)]), 'a.txt')
    return client.post(`${at}/uploads`, form)
  },
  avatar: (client, at) => {
    const form = new FormData()
    const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    form.append('avatar', new Blob([new Uint8Array(png)]), 'a.png')
    return client.put(at, form)
  },
  branch: (client, at) => client.post(`${at}/repository/branches`, { branch: 'b', ref: 'main' }),
  commit: (client, at) =>
    client.post(`${at}/repository/files/a.txt`, { branch: 'main', content: 'a', commit_message: 'a' }),
  comment: (client, at) => client.post(`${at}/repository/commits/main/comments`, { note: 'a' }),
  blame: (client, at) => client.get(`${at}/repository/files/README.md/blame?ref=main`),
  compare: (client, at) => client.get(`${at}/repository/compare?from=main&to=main`),
  description: (client, at) => client.put(at, { description: 'a *b*' }),
}

it.each(Object.keys(slow))(
  'a request returns no 500 when the project is deleted meanwhile: %s',
  async (name) => {
    for (let others = 0; others < 4; others++) {
      const project = await w.make.project({ owner, with: 'readme' })
      const at = `/projects/${project.id}`
      const request = slow[name]!(w.as(owner), at)
      for (let index = 0; index < others; index++) await w.as(null).get('/-/liveness')
      expect((await w.as(owner).delete(at)).status).toBe(202)
      await w.drain()
      expect((await request).status).toBeLessThan(500)
    }
  },
)

it('a request returns no 500 when the user is deleted meanwhile', async () => {
  for (let others = 0; others < 4; others++) {
    const user = w.make.user()
    const snippet = { title: 'a', file_name: 'a', content: 'a', visibility: 'private' }
    const request = w.as(user).post('/snippets', snippet)
    for (let index = 0; index < others; index++) await w.as(null).get('/-/liveness')
    expect((await w.as(w.root).delete(`/users/${user.id}?hard_delete=true`)).status).toBe(204)
    await w.drain()
    expect((await request).status).toBeLessThan(500)
  }
})
