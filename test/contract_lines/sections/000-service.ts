import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'What the service does',
  async (w) => ({ project: await w.make.project({ with: 'readme' }), group: await w.make.group() }),
  [
    unproven(
      'The service is an HTTP/JSON API for managing a software-development platform. Its areas are:',
      'Introduces the list below.',
    ),
    line(
      'Projects and their feature flags, environments, approval settings and rules, integrations, secure files, remote (push) mirrors, releases and runners.',
      'GET /projects/:id/{feature_flags, environments, approvals, integrations, secure_files, remote_mirrors, releases, runners} → 200',
      async ({ root, project }) => {
        for (const part of [
          'feature_flags',
          'environments',
          'approvals',
          'approval_rules',
          'integrations',
          'secure_files',
          'remote_mirrors',
          'releases',
          'runners',
        ])
          expect([part, (await root.get(`/projects/${project.id}/${part}`)).status]).toEqual([part, 200])
      },
    ),
    line(
      'Groups, group wikis and group push rules.',
      'GET /groups, GET /groups/:id/wikis → 200; POST /groups/:id/push_rule → 201',
      async ({ root, group }) => {
        expect((await root.get('/groups')).status).toBe(200)
        expect((await root.get(`/groups/${group.id}/wikis`)).status).toBe(200)
        expect((await root.post(`/groups/${group.id}/push_rule`, { max_file_size: 5 })).status).toBe(201)
      },
    ),
    line('Merge requests.', 'GET /merge_requests → 200', async ({ root }) => {
      expect((await root.get('/merge_requests')).status).toBe(200)
    }),
    line('Users.', 'GET /users → 200', async ({ root }) => {
      expect((await root.get('/users')).status).toBe(200)
    }),
    line(
      'Instance-wide application settings and appearance.',
      'GET /application/settings, GET /application/appearance → 200',
      async ({ root }) => {
        expect((await root.get('/application/settings')).status).toBe(200)
        expect((await root.get('/application/appearance')).status).toBe(200)
      },
    ),
    line('CI configuration linting.', 'POST /ci/lint → 200 or 201', async ({ root }) => {
      expect([200, 201]).toContain((await root.post('/ci/lint', { content: 'a: { script: b }' })).status)
    }),
    line(
      'Project import and export, and imports from two kinds of external source code host.',
      'GET /projects/:id/export, GET /projects/:id/import → 200',
      async ({ root, project }) => {
        expect((await root.get(`/projects/${project.id}/export`)).body.export_status).toBe('none')
        expect((await root.get(`/projects/${project.id}/import`)).body.import_status).toBe('none')
      },
    ),
    line('To-do items.', 'GET /todos → 200', async ({ root }) => {
      expect((await root.get('/todos')).status).toBe(200)
    }),
    line(
      'SCIM identity management.',
      'GET /groups/:id/scim/identities of a group without SCIM → 404; test/api/scim sets it up',
      async ({ root, group }) => {
        expect((await root.get(`/groups/${group.id}/scim/identities`)).status).toBe(404)
      },
    ),
    line('Repository storage moves.', 'GET /project_repository_storage_moves → 200', async ({ root }) => {
      expect((await root.get('/project_repository_storage_moves')).status).toBe(200)
    }),
    unproven('Conventions:', 'Introduces the list below.'),
    line(
      'All paths below are relative to `{base_url}/api/v4`. Every request includes `api` and the version segment. Data is serialized as JSON; no `.json` suffix is used.',
      'GET /version → 200, GET /api/v3/version → 410, JSON',
      async ({ root }) => {
        const { status, headers } = await root.get('/version')
        expect([status, headers.get('content-type')]).toEqual([
          200,
          expect.stringContaining('application/json'),
        ])
        expect((await root.get('!/api/v3/version')).status).toBe(410)
      },
    ),
    line(
      '`:id` (or `:project_id`) in a path is an integer ID or the URL-encoded path of the project. For groups it is the group ID or URL-encoded group path.',
      'GET /projects/1 and GET /projects/root%2Fname answer alike; groups too',
      async ({ root, project, group }) => {
        const byId = await root.get(`/projects/${project.id}`)
        const byPath = await root.get(`/projects/${encodeURIComponent(project.path_with_namespace)}`)
        expect([byId.status, byPath.body.id]).toEqual([200, project.id])
        expect((await root.get(`/groups/${encodeURIComponent(group.full_path)}`)).body.id).toBe(group.id)
      },
    ),
    line(
      'Parameters are sent as query string, form fields or a JSON body (Content-Type `application/json`). File uploads use `multipart/form-data`.',
      'POST /projects/:id/labels by query, form, JSON and multipart → 201',
      async ({ root, project }) => {
        const at = `/projects/${project.id}/labels`
        const multipart = new FormData()
        multipart.set('name', 'four')
        multipart.set('color', '#112233')
        for (const made of [
          await root.post(`${at}?name=one&color=%23112233`),
          await root.post(at, new URLSearchParams({ name: 'two', color: '#112233' })),
          await root.post(at, { name: 'three', color: '#112233' }),
          await root.post(at, multipart),
        ])
          expect(made.status).toBe(201)
      },
    ),
    line(
      'Timestamps are ISO 8601 UTC strings such as `<timestamp>` with millisecond precision. Date-only fields use `YYYY-MM-DD`.',
      'GET /projects/:id → created_at like 2026-11-23T01:02:03.004Z',
      async ({ root, project }) => {
        expect((await root.get(`/projects/${project.id}`)).body.created_at).toMatch(
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
        )
        const made = await root.post(`/projects/${project.id}/milestones`, {
          title: 'dated',
          due_date: '2030-01-02',
        })
        expect(made.body.due_date).toBe('2030-01-02')
      },
    ),
    line(
      'Some features are tied to plans: FREE, PREMIUM, ULTIMATE. Some are self-managed only (FREE SELF, PREMIUM SELF) or SaaS only. A plan tag is noted where the interface gives it.',
      'GET /version → an -ee version: every plan is on',
      async ({ root }) => {
        expect((await root.get('/metadata')).body).toMatchObject({ enterprise: true })
      },
    ),
    line(
      'Vendor words inside identifiers are replaced by neutral words throughout: the strategy `serviceUserList`, the cookie `_service_session`, the import paths `hostA` and `hostB_server`, and the settings named with `spamcheck_`, `tracker_connect_`, `diagramA_` and `diagramB_`.',
      'POST /projects/:id/feature_flags with the strategy serviceUserList is read; GET /application/settings has spamcheck_enabled',
      async ({ root, project }) => {
        const { body } = await root.get('/application/settings')
        for (const name of [
          'spamcheck_enabled',
          'tracker_connect_application_key',
          'diagramA_enabled',
          'diagramB_enabled',
        ])
          expect(body).toHaveProperty(name)
        const flag = { name: 'wordy', version: 'new_version_flag', strategies: [{ name: 'serviceUserList' }] }
        expect((await root.post(`/projects/${project.id}/feature_flags`, flag)).status).toBe(400)
      },
    ),
  ],
)
