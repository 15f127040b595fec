import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Limits',
  async (w) => {
    const group = await w.make.group()
    for (let n = 0; n < 3; n++) await w.make.project({ namespace_id: group.id })
    return { list: `/groups/${group.id}/projects`, at: `/projects/${(await w.make.project()).id}` }
  },
  [
    line(
      'Default page size | 20 items; `per_page` max 100; `page` default 1',
      'GET /projects?per_page=101 → 100; without → 20, page 1',
      async ({ root }) => {
        const plain = (await root.get('/projects')).headers
        expect([plain.get('x-per-page'), plain.get('x-page')]).toEqual(['20', '1'])
        expect((await root.get('/projects?per_page=101')).headers.get('x-per-page')).toBe('100')
      },
    ),
    line(
      'Secure files | 100 per project; each under 5 MB',
      'POST of 5 MB → 4xx; the file number 101 → 400',
      async ({ root, at }) => {
        const add = (name: string, bytes: Blob) => {
          const form = new FormData()
          form.set('name', name)
          form.set('file', bytes, name)
          return root.post(`${at}/secure_files`, form)
        }
        expect([400, 413]).toContain((await add('large', new Blob([new Uint8Array(5 * 1024 * 1024)]))).status)
        for (let n = 0; n < 100; n++) expect((await add(`file-${n}`, new Blob(['x']))).status).toBe(201)
        expect((await add('one too many', new Blob(['x']))).status).toBe(400)
      },
    ),
    unproven(
      'Remote import file | 10 gigabytes maximum; Content-Length required',
      'test/api/import_export/projects checks Content-Length with a receiver; no file of 10 gigabytes is sent.',
    ),
    line(
      'Export/import file size | `max_export_size` and `max_import_size` settings in MB; default 0 = unlimited',
      'GET /application/settings → max_export_size 0, max_import_size 0',
      async ({ root }) => {
        const { max_export_size, max_import_size } = (await root.get('/application/settings')).body
        expect([max_export_size, max_import_size]).toEqual([0, 0])
      },
    ),
    unproven(
      'failed_relations in import status | capped at 100 entries',
      'test/api/import_export/projects imports an archive with more failures.',
    ),
    line('approved_by_ids filter | maximum 5 ids', 'GET /merge_requests with six → 400', async ({ root }) => {
      const six = [1, 2, 3, 4, 5, 6].map((id) => `approved_by_ids[]=${id}`).join('&')
      expect((await root.get(`/merge_requests?${six}`)).status).toBe(400)
    }),
    unproven('Merge request description | 1,048,576 characters', 'The section of merge requests proves it.'),
    unproven(
      'Review-app deletion | default `limit` 100; default `before` is 30 days ago; actual deletion after 1 week; `dry_run` default true',
      'test/api/ci/review-apps proves the defaults with a clock of its own.',
    ),
    line(
      'Application settings cache | 60 seconds by default',
      'PUT, then GET → the new value at once',
      async ({ root }) => {
        await root.put('/application/settings', { after_sign_up_text: 'Now' })
        expect((await root.get('/application/settings')).body.after_sign_up_text).toBe('Now')
      },
    ),
    line(
      'Default attachment size | `max_attachment_size` 10 (MB) as returned',
      'GET /application/settings → max_attachment_size',
      async ({ root }) => {
        expect((await root.get('/application/settings')).body.max_attachment_size).toBeGreaterThan(0)
      },
    ),
    unproven('Pagination:', 'Introduces the list below.'),
    line(
      'Offset pagination is default on all endpoints. Responses carry a `Link` header with `rel` values `prev`, `next`, `first`, `last`, and headers `x-next-page`, `x-page`, `x-per-page`, `x-prev-page`, `x-total`, `x-total-pages`. Clients must follow the links. Some headers may be absent on the hosted service.',
      'GET of page 2 of 3 → Link with prev, next, first, last; x-… headers',
      async ({ root, list }) => {
        const { headers } = await root.get(`${list}?per_page=1&page=2`)
        const names = ['x-next-page', 'x-page', 'x-per-page', 'x-prev-page', 'x-total', 'x-total-pages']
        expect(names.map((name) => headers.get(name))).toEqual(['3', '2', '1', '1', '3', '3'])
        for (const rel of ['prev', 'next', 'first', 'last'])
          expect(headers.get('link')).toContain(`rel="${rel}"`)
      },
    ),
    line(
      'Keyset pagination (selected endpoints): query `pagination=keyset`, `per_page` (default 20, max 100), `order_by` (required), `sort` (`asc`/`desc`, required). The `Link` header gives the next page, adding a filter such as `id_after=<id>` or an opaque `cursor`.',
      'GET /projects?pagination=keyset&order_by=id&sort=asc&per_page=1 → Link with id_after',
      async ({ root }) => {
        const { status, headers } = await root.get(
          '/projects?pagination=keyset&order_by=id&sort=asc&per_page=1',
        )
        expect([status, headers.get('link')]).toEqual([200, expect.stringMatching(/id_after=|cursor=/)])
      },
    ),
    line(
      'A maximum offset limit exists for offset pagination. Value of the maximum offset: not shown.',
      'GET /projects?page=999999&per_page=100 → 405 or 400',
      async ({ root }) => {
        expect([400, 405]).toContain((await root.get('/projects?page=999999&per_page=100')).status)
      },
    ),
    unproven('Format of the keyset cursor value: not shown.', 'The contract does not show it.'),
    unproven(
      'Rate limit values (requests per period) behind 429: not shown.',
      'The contract does not show them; the settings say them.',
    ),
  ],
)
