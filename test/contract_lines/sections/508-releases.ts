import { expect } from 'vitest'

import { from, HIDDEN_PROJECT, teamOn, within } from '../access.ts'
import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Releases',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme', visibility: 'public' })
    const at = `/projects/${project.id}/releases`
    await root.post(at, {
      tag_name: 'v1',
      ref: 'main',
      description: '**x**',
      assets: { links: [{ name: 'f', url: 'https://example.com/f.bin', filepath: '/bin/f' }] },
    })
    const closed = await w.make.project({ with: 'readme' })
    const closedAt = `/projects/${closed.id}/releases`
    await root.post(closedAt, {
      tag_name: 'v1',
      ref: 'main',
      assets: { links: [{ name: 'f', url: 'https://example.com/f.bin', filepath: '/bin/f' }] },
    })
    const hidden = { at: closedAt, team: await teamOn(w, 'projects', closed) }
    return { at, project, hidden, team: await teamOn(w, 'projects', project) }
  },
  [
    line(
      'GET `/projects/:id/releases` | `order_by` (`released_at` default, `created_at`), `sort` (`desc` default, `asc`), `include_html_description` boolean | paginated array of release',
      'GET …/releases?order_by=created_at&sort=asc&include_html_description=true → 200; in a private project',
      async ({ root, at }) => {
        for (const query of ['order_by=released_at', 'order_by=created_at', 'sort=asc'])
          expect((await root.get(`${at}?${query}`)).status).toBe(200)
        expect((await root.get(`${at}?include_html_description=true`)).body[0].description_html).toContain(
          '<strong>',
        )
      },
      within(
        'hidden',
        from('guest', (client, { at }) => client.get(at), HIDDEN_PROJECT),
      ),
    ),
    line(
      'GET `/projects/:id/releases/:tag_name` | `include_html_description` | release',
      'GET …/releases/v1?include_html_description=true → 200; in a private project',
      async ({ root, at }) => {
        expect((await root.get(`${at}/v1?include_html_description=true`)).body.description_html).toContain(
          '<strong>',
        )
      },
      within(
        'hidden',
        from('reporter', (client, { at }) => client.get(`${at}/v1`), HIDDEN_PROJECT),
      ),
    ),
    line(
      'GET `/projects/:id/releases/:tag_name/downloads/:filepath` | | asset file',
      'GET …/releases/v1/downloads/bin/f → to the file; in a private project',
      async ({ root, at }) => {
        const answer = await root.get(`${at}/v1/downloads/bin/f`)
        expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://example.com/f.bin'])
      },
      within(
        'hidden',
        from('reporter', (client, { at }) => client.get(`${at}/v1/downloads/bin/f`), HIDDEN_PROJECT),
      ),
    ),
    line(
      'GET `/projects/:id/releases/permalink/latest` | release with latest released_at; any suffix valid after a tag (e.g. `/evidence`, `/downloads/<filepath>`) can be appended | release',
      'GET …/permalink/latest and …/permalink/latest/downloads/bin/f → to the latest release; in a private project',
      async ({ root, at }) => {
        const latest = await root.get(`${at}/permalink/latest`)
        expect([301, 302]).toContain(latest.status)
        expect(latest.headers.get('location')).toContain('/releases/v1')
        expect((await root.get(`${at}/permalink/latest/downloads/bin/f`)).headers.get('location')).toContain(
          '/v1/downloads/bin/f',
        )
      },
      within(
        'hidden',
        from('reporter', (client, { at }) => client.get(`${at}/permalink/latest`), HIDDEN_PROJECT),
      ),
    ),
    line(
      'POST `/projects/:id/releases` | Developer access. `tag_name` required; `ref` required if the tag does not exist; `name`; `tag_message`; `description` (Markdown); `milestones` string array; `assets:links` array of `{name (required, unique in release), url (required, unique in release), filepath, link_type (default other)}`; `released_at` datetime default now | release',
      'POST → 201; a new tag without ref → 422; the tag again → 409',
      async ({ root, at, project }) => {
        const params = {
          tag_name: 'v2',
          ref: 'main',
          name: 'Two',
          tag_message: 'Tagged',
          description: 'd',
          released_at: '2026-01-02T03:04:05Z',
        }
        await root.post(`/projects/${project.id}/milestones`, { title: 'one' })
        const links = [{ name: 'a', url: 'https://example.com/a', filepath: '/a', link_type: 'image' }]
        const made = await root.post(at, { ...params, milestones: ['one'], assets: { links } })
        expect([
          made.status,
          made.body.released_at,
          made.body.milestones[0].title,
          made.body.assets.links[0].link_type,
        ]).toEqual([201, '2026-01-02T03:04:05.000Z', 'one', 'image'])
        expect((await root.post(at, { ...params, tag_name: 'v3', ref: undefined })).status).toBe(422)
        expect((await root.post(at, params)).status).toBe(409)
        expect((await root.post(at, { ref: 'main' })).status).toBe(400)
      },
      from('developer', (client, { at }, caller) =>
        client.post(at, { tag_name: `of-${caller}`, ref: 'main' }),
      ),
    ),
    unproven(
      'Endpoints to update and delete releases, and the rest of the create response: not shown.',
      'The contract does not show them; spec administration does.',
    ),
  ],
)
