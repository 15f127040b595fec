import { expect } from 'vitest'

import { from, teamOn } from '../access.ts'
import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Errors',
  async (w) => {
    const project = await w.make.project({ with: 'readme', visibility: 'public' })
    const group = await w.make.group({ visibility: 'public' })
    const team = await teamOn(w, 'groups', group)
    return { at: `/projects/${project.id}`, project, ada: w.make.user(), anyone: w.as(null), group, team }
  },
  [
    line(
      '200 | GET, PUT or DELETE succeeded; resource returned as JSON',
      'GET /projects/:id → 200, JSON',
      async ({ root, at }) => {
        expect((await root.get(at)).status).toBe(200)
      },
    ),
    line(
      '201 | POST created a resource, returned as JSON',
      'POST …/labels → 201, JSON',
      async ({ root, at }) => {
        const made = await root.post(`${at}/labels`, { name: 'made', color: '#112233' })
        expect([made.status, made.body.name]).toEqual([201, 'made'])
      },
    ),
    line(
      '202 | accepted; resource scheduled for processing (also export scheduling)',
      'POST …/export → 202',
      async ({ root, at }) => {
        expect((await root.post(`${at}/export`)).status).toBe(202)
      },
    ),
    line('204 | success, no content (DELETE)', 'DELETE …/labels/:name → 204, empty', async ({ root, at }) => {
      await root.post(`${at}/labels`, { name: 'gone', color: '#112233' })
      const deleted = await root.delete(`${at}/labels/gone`)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
    }),
    line(
      '304 | resource not modified since last request',
      'GET with If-None-Match of the ETag → 304',
      async ({ root, at }) => {
        const { headers } = await root.get(at)
        expect((await root.get(at, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304)
      },
    ),
    line(
      '400 | a required attribute is missing or a parameter is wrong',
      'POST …/labels {} → 400',
      async ({ root, at }) => {
        expect((await root.post(`${at}/labels`, {})).status).toBe(400)
      },
    ),
    line(
      '401 | missing or invalid authentication; body has a `message` field saying 401 Unauthorized',
      'GET /user without and with a wrong token → 401 {"message": "401 Unauthorized"}; a POST before its parameters',
      async ({ anyone, at }) => {
        const body = { message: '401 Unauthorized' }
        expect((await anyone.get('/user')).body).toEqual(body)
        expect((await anyone.get('/user', { 'private-token': 'wrong' })).body).toEqual(body)
        expect((await anyone.post(`${at}/labels`, {})).body).toEqual(body)
        expect((await anyone.post('/users', {})).body).toEqual(body)
      },
    ),
    line(
      '403 | request not allowed (for example deleting a project without permission)',
      'DELETE /projects/:id',
      async ({ w, at, ada }) => {
        const refused = await w.as(ada).delete(at)
        expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
      },
      from('owner', async (client, { w, group }) =>
        client.delete(
          `/projects/${(await w.make.project({ namespace_id: group.id, visibility: 'public' })).id}`,
        ),
      ),
    ),
    line(
      '404 | resource not found (for example unknown ID)',
      'GET /projects/999999 → 404',
      async ({ root }) => {
        expect((await root.get('/projects/999999')).status).toBe(404)
      },
    ),
    line('405 | method not supported', 'DELETE /version → 405', async ({ root }) => {
      expect((await root.delete('/version')).status).toBe(405)
    }),
    line(
      '409 | a conflicting resource already exists',
      'POST …/labels of a name that exists → 409',
      async ({ root, at }) => {
        await root.post(`${at}/labels`, { name: 'twice', color: '#112233' })
        expect((await root.post(`${at}/labels`, { name: 'twice', color: '#112233' })).status).toBe(409)
      },
    ),
    line(
      '412 | denied, e.g. `If-Unmodified-Since` supplied when deleting a resource modified in between',
      'DELETE …/labels/:id with If-Unmodified-Since before its change → 412',
      async ({ root, at }) => {
        const { body } = await root.post(`${at}/issues`, { title: 'x' })
        expect(
          (
            await root.delete(`${at}/issues/${body.iid}`, undefined, {
              'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT',
            })
          ).status,
        ).toBe(412)
      },
    ),
    line(
      '422 | entity could not be processed',
      'POST …/releases of a new tag without ref → 422',
      async ({ root, at }) => {
        expect((await root.post(`${at}/releases`, { tag_name: 'v9' })).status).toBe(422)
      },
    ),
    unproven(
      '429 | application rate limit exceeded',
      'test/api/settings and test/api/kernel reach the limits.',
    ),
    unproven('500 | server error', 'No request may do so: the fuzzers of test/api/kernel look for one.'),
    unproven('Specific bodies:', 'Introduces the list below.'),
    line(
      'Sudo by a non-administrator: 403 with a `message` saying admin is required to use sudo.',
      'GET /user with Sudo by a user → 403',
      async ({ w, anyone, ada }) => {
        const answer = await anyone.get('/user', {
          'private-token': w.make.token(ada, ['api', 'sudo']),
          sudo: 'root',
        })
        expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/admin/i)])
      },
    ),
    line(
      'Sudo with a token lacking scope `sudo`: 403 with fields `error` = `insufficient_scope`, `error_description`, `scope` = `sudo`.',
      'GET /user with Sudo and a token without the scope → 403',
      async ({ w, anyone, ada }) => {
        const answer = await anyone.get('/user', {
          'private-token': w.make.token(w.root, ['api']),
          sudo: ada.username,
        })
        expect([answer.status, answer.body]).toEqual([
          403,
          { error: 'insufficient_scope', error_description: expect.any(String), scope: 'sudo' },
        ])
      },
    ),
    line(
      'Sudo target not found: 404 with a `message` naming the user.',
      'GET /user with Sudo of nobody → 404 that names them',
      async ({ w, anyone }) => {
        const answer = await anyone.get('/user', {
          'private-token': w.make.token(w.root, ['api', 'sudo']),
          sudo: 'nobody-here',
        })
        expect([answer.status, answer.body.message]).toEqual([404, expect.stringContaining('nobody-here')])
      },
    ),
    line(
      'CI lint without `content`: an object with an `error` field.',
      'POST /ci/lint {} → {"error": "content is missing"}',
      async ({ root }) => {
        expect((await root.post('/ci/lint', {})).body).toEqual({ error: 'content is missing' })
      },
    ),
    line(
      'Import cancel: 200 being canceled, 400 cannot be canceled, 404 project missing.',
      'POST /import/hostA/cancel → 400 for no import, 404 for no project',
      async ({ root, project }) => {
        expect((await root.post('/import/hostA/cancel', { project_id: project.id })).status).toBe(400)
        expect((await root.post('/import/hostA/cancel', { project_id: 999_999 })).status).toBe(404)
      },
    ),
    line(
      'Environment create/update: 400 on wrong parameters; delete and stop: 404 when missing.',
      'POST …/environments {} → 400; DELETE and stop of none → 404',
      async ({ root, at }) => {
        expect((await root.post(`${at}/environments`, {})).status).toBe(400)
        expect((await root.delete(`${at}/environments/999999`)).status).toBe(404)
        expect((await root.post(`${at}/environments/999999/stop`)).status).toBe(404)
      },
    ),
    unproven(
      'Body shape of 400, 409 and 422 responses: not shown.',
      'The contract does not show it; spec core does.',
    ),
  ],
)
