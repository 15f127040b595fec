import { expect } from 'vitest'

import { from, HIDDEN_GROUP, teamOn } from '../access.ts'
import { section, line } from '../section.ts'

export const statements = section(
  'Group wikis (PREMIUM)',
  async (w, root) => {
    const group = await w.make.group()
    const at = `/groups/${group.id}/wikis`
    await root.post(at, { title: 'Home', content: '# Hello' })
    return { at, team: await teamOn(w, 'groups', group) }
  },
  [
    line(
      'GET `/groups/:id/wikis` | `with_content` boolean | array of wiki page',
      'GET …/wikis?with_content=true → content',
      async ({ root, at }) => {
        expect((await root.get(at)).body[0]).not.toHaveProperty('content')
        expect((await root.get(`${at}?with_content=true`)).body[0].content).toBe('# Hello')
      },
      from('guest', (client, { at }) => client.get(at), HIDDEN_GROUP),
    ),
    line(
      'GET `/groups/:id/wikis/:slug` | `render_html` boolean; `version` string (page version SHA); slug URL-encoded | wiki page',
      'GET …/wikis/:slug?render_html=true → HTML; a slug with %2F',
      async ({ root, at }) => {
        await root.post(at, { title: 'dir/page', content: 'In' })
        expect((await root.get(`${at}/Home?render_html=true`)).body.content).toContain('<h1')
        expect((await root.get(`${at}/dir%2Fpage`)).body.content).toBe('In')
        expect((await root.get(`${at}/Home?version=${'f'.repeat(40)}`)).status).toBe(404)
      },
      from('guest', (client, { at }) => client.get(`${at}/Home`), HIDDEN_GROUP),
    ),
    line(
      'POST `/groups/:id/wikis` | `content` string required; `title` string required; `format` string default `markdown` | wiki page',
      'POST → 201, markdown; without title or content → 400',
      async ({ root, at }) => {
        const made = await root.post(at, { title: 'New', content: 'x' })
        expect([made.status, made.body.format]).toEqual([201, 'markdown'])
        expect((await root.post(at, { title: 'y' })).status).toBe(400)
        expect((await root.post(at, { content: 'y' })).status).toBe(400)
      },
      from('developer', (client, { at }, title) => client.post(at, { title, content: 'x' })),
    ),
    line(
      'PUT `/groups/:id/wikis/:slug` | `content` (required if title absent), `title` (required if content absent), `format`; at least one parameter required | wiki page',
      'PUT with content, title or format → 200; with none → 400',
      async ({ root, at }) => {
        await root.post(at, { title: 'Edit', content: 'x' })
        expect((await root.put(`${at}/Edit`, { content: 'y' })).body.content).toBe('y')
        expect((await root.put(`${at}/Edit`, { title: 'Edited' })).body.title).toBe('Edited')
        expect((await root.put(`${at}/Edited`, {})).status).toBe(400)
      },
      from('developer', (client, { at }, content) => client.put(`${at}/Home`, { content })),
    ),
    line(
      'DELETE `/groups/:id/wikis/:slug` | | 204, no body',
      'DELETE → 204, no body',
      async ({ root, at }) => {
        await root.post(at, { title: 'Gone', content: 'x' })
        const deleted = await root.delete(`${at}/Gone`)
        expect([deleted.status, deleted.text]).toEqual([204, ''])
      },
      from('developer', async (client, { root, at }, caller) => {
        await root.post(at, { title: `of-${caller}`, content: 'x' })
        return client.delete(`${at}/of-${caller}`)
      }),
    ),
    line(
      'POST `/groups/:id/wikis/attachments` | multipart: `file` required; `branch` string default wiki default branch; stored in the `uploads` folder | attachment upload result',
      'POST multipart → 201, below uploads; without file → 400',
      async ({ root, at }) => {
        const form = new FormData()
        form.set('file', new Blob(['x']), 'a.txt')
        const made = await root.post(`${at}/attachments`, form)
        expect([made.status, made.body.file_path]).toEqual([201, expect.stringMatching(/^uploads\//)])
        expect((await root.post(`${at}/attachments`, {})).status).toBe(400)
      },
      from('developer', (client, { at }) => {
        const form = new FormData()
        form.set('file', new Blob(['x']), 'a.txt')
        return client.post(`${at}/attachments`, form)
      }),
    ),
  ],
)
