import { expect } from 'vitest'

import { from, HIDDEN_PROJECT, teamOn } from '../access.ts'
import { section, line } from '../section.ts'

export const statements = section(
  'Import and export',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}`
    await root.post(`${at}/export`)
    await w.drain()
    const read = async () =>
      await fetch(`${w.url}/api/v4${at}/export/download`, { headers: { 'private-token': w.root.token } })
    // An archive may be downloaded once a minute.
    const answer = await read()
    const team = await teamOn(w, 'projects', project)
    return { at, answer, archive: await answer.clone().blob(), project, team }
  },
  [
    line(
      'POST `/projects/:id/export` | `description` string; `upload` hash with `upload[url]` (required if upload given) and `upload[http_method]` (`PUT` default, or `POST`) | 202 with message field',
      'POST …/export with description → 202; upload without url → 400',
      async ({ root, at }) => {
        expect((await root.post(`${at}/export`, { description: 'Other' })).body).toEqual({
          message: '202 Accepted',
        })
        expect((await root.post(`${at}/export`, { upload: { http_method: 'POST' } })).status).toBe(400)
      },
      from('maintainer', (client, { at }) => client.post(`${at}/export`)),
    ),
    line(
      'GET `/projects/:id/export` | | export status',
      'GET …/export → export_status',
      async ({ w, root, at }) => {
        await w.drain()
        expect((await root.get(`${at}/export`)).body.export_status).toBe('finished')
      },
      from('maintainer', (client, { at }) => client.get(`${at}/export`), HIDDEN_PROJECT),
    ),
    line(
      'GET `/projects/:id/export/download` | | archive file',
      'GET …/export/download → a gzip file',
      async ({ answer }) => {
        const bytes = Buffer.from(await answer.arrayBuffer())
        expect([answer.status, bytes[0], bytes[1]]).toEqual([200, 0x1f, 0x8b])
      },
      from('maintainer', (client, { at }) => client.get(`${at}/export/download`), HIDDEN_PROJECT),
    ),
    line(
      'POST `/projects/import` | multipart: `file` required; `path` required; `namespace`; `name`; `overwrite` boolean default false; `override_params` hash | project summary with import_status, correlation_id, failed_relations',
      'POST multipart with file, path, name, override_params → 201; without file or path → 400; into a group by a developer → 201, by a reporter → 400, by a user who does not see it → 404, without a token → 401',
      async ({ w, root, archive }) => {
        const form = new FormData()
        form.set('path', 'contract-import')
        form.set('name', 'Contract import')
        form.set('override_params[description]', 'Overridden')
        form.set('file', archive, 'a.tar.gz')
        const made = await root.post('/projects/import', form)
        expect([made.status, made.text]).toEqual([201, expect.any(String)])
        for (const name of ['id', 'import_status', 'correlation_id', 'failed_relations'])
          expect(made.body).toHaveProperty(name)
        await w.drain()
        expect((await root.get(`/projects/${made.body.id}`)).body.description).toBe('Overridden')
        expect((await root.post('/projects/import', { path: 'x' })).status).toBe(400)
        const group = await w.make.group()
        const { clients } = await teamOn(w, 'groups', group)
        const importAs = async (caller: 'anonymous' | 'stranger' | 'reporter' | 'developer') => {
          const form = new FormData()
          form.set('path', `by-${caller}`)
          form.set('namespace', group.full_path)
          form.set('file', archive, 'a.tar.gz')
          const { status, body } = await clients[caller]!.post('/projects/import', form)
          return [status, body.message]
        }
        expect(await importAs('anonymous')).toEqual([401, '401 Unauthorized'])
        expect(await importAs('stranger')).toEqual([404, '404 Namespace Not Found'])
        expect(await importAs('reporter')).toEqual([
          400,
          'You are not allowed to import projects in this namespace.',
        ])
        expect(await importAs('developer')).toEqual([201, undefined])
        await w.drain()
      },
    ),
    line(
      'POST `/projects/remote-import` | `url` required; `path` required; `namespace`; `name`; `overwrite`; `override_params` | as above plus import_error',
      'POST without url or path → 400',
      async ({ root }) => {
        expect((await root.post('/projects/remote-import', { path: 'x' })).status).toBe(400)
        expect(
          (await root.post('/projects/remote-import', { url: 'https://example.com/a.tar.gz' })).status,
        ).toBe(400)
      },
    ),
    line(
      'POST `/projects/remote-import-s3` | `path`, `region`, `bucket_name`, `file_key`, `access_key_id`, `secret_access_key` required; `namespace`; `name` | as above',
      'POST without each required parameter → 400',
      async ({ root }) => {
        const params: Record<string, string> = {
          path: 'x',
          region: 'r',
          bucket_name: 'b',
          file_key: 'f',
          access_key_id: 'a',
          secret_access_key: 's',
        }
        for (const name of Object.keys(params))
          expect([
            name,
            (await root.post('/projects/remote-import-s3', { ...params, [name]: undefined })).status,
          ]).toEqual([name, 400])
      },
    ),
    line(
      'GET `/projects/:id/import` | | import status',
      'GET …/import → import_status',
      async ({ root, at }) => {
        expect((await root.get(`${at}/import`)).body.import_status).toBe('none')
      },
      from('guest', (client, { at }) => client.get(`${at}/import`), HIDDEN_PROJECT),
    ),
    line(
      'POST `/import/hostA` | `personal_access_token` string required; `repo_id` integer required; `target_namespace` string required (subgroups like `/namespace/subgroup`); `new_name`; `github_hostname`-style custom host name string (omit for the public host); `optional_stages` object with booleans `single_endpoint_issue_events_import`, `single_endpoint_notes_import`, `attachments_import` | `{id, name, full_path, full_name}`',
      'POST without each required parameter → 400; test/api/importers imports, and refuses a reporter of the target group with 422',
      async ({ root }) => {
        const params: Record<string, unknown> = {
          personal_access_token: 't',
          repo_id: 1,
          target_namespace: 'root',
        }
        for (const name of Object.keys(params))
          expect([name, (await root.post('/import/hostA', { ...params, [name]: undefined })).status]).toEqual(
            [name, 400],
          )
      },
    ),
    line(
      'POST `/import/hostA/cancel` | `project_id` integer required | project with import_source, import_status `canceled`, human_import_status_name, provider_link; 200, 400, 404',
      'POST of a project that was not imported → 400, of none → 404; by a maintainer → 403, by a user who does not see it → 404, without a token → 401',
      async ({ root, project, team }) => {
        expect((await root.post('/import/hostA/cancel', { project_id: project.id })).status).toBe(400)
        expect((await root.post('/import/hostA/cancel', { project_id: 999_999 })).status).toBe(404)
        const statuses: Record<string, number> = {}
        for (const caller of ['anonymous', 'stranger', 'maintainer', 'owner'])
          statuses[caller] = (
            await team.clients[caller].post('/import/hostA/cancel', { project_id: project.id })
          ).status
        expect(statuses).toEqual({ anonymous: 401, stranger: 404, maintainer: 403, owner: 400 })
      },
    ),
    line(
      'POST `/import/hostB_server` | `bitbucket_server_url`-style server URL, username, `personal_access_token`, project key, repository name: all required; `new_name`; `target_namespace` (personal namespace if omitted) | project summary',
      'POST without parameters → 400; test/api/importers imports',
      async ({ root }) => {
        expect((await root.post('/import/hostB_server', {})).status).toBe(400)
      },
    ),
    line(
      "Override parameters take precedence over values in the export file. Remote import requires the file response to have a valid Content-Length and Content-Type `application/gzip`. Importing through a group access token: the project keeps the original visibility; if the path or target namespace does not exist the import fails; projects are never imported into a bot user's namespace.",
      'POST /projects/import with override_params[visibility] → that visibility; into a missing namespace → 404; by a group access token: into the group → 201, without a namespace → 404, into the namespace of its bot → 404',
      async ({ w, root, archive }) => {
        const importAs = async (path: string, more: Record<string, string>, client = root) => {
          const form = new FormData()
          form.set('path', path)
          for (const [name, value] of Object.entries(more)) form.set(name, value)
          form.set('file', archive, 'a.tar.gz')
          return client.post('/projects/import', form)
        }
        const made = await importAs('contract-override', { 'override_params[visibility]': 'public' })
        await w.drain()
        expect((await root.get(`/projects/${made.body.id}`)).body.visibility).toBe('public')
        expect((await importAs('contract-nowhere', { namespace: 'not/there' })).status).toBe(404)
        const group = await w.make.group()
        const { body: token } = await root.post(`/groups/${group.id}/access_tokens`, {
          name: 'importer',
          scopes: ['api'],
          access_level: 40,
          expires_at: '2099-01-01',
        })
        const bot = w.as({ ...w.root, token: token.token })
        const { username } = (await bot.get('/user')).body
        const statuses = []
        for (const namespace of [group.full_path, undefined, username])
          statuses.push((await importAs('by-bot', namespace === undefined ? {} : { namespace }, bot)).status)
        expect(statuses).toEqual([201, 404, 404])
        await w.drain()
      },
    ),
  ],
)
