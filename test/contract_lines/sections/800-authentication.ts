import { expect } from 'vitest'

import { from, teamOn, visitors } from '../access.ts'
import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Authentication',
  async (w, root) => {
    const open = await w.make.project({ visibility: 'public', with: 'readme' })
    const closed = await w.make.project({ with: 'readme' })
    return { open, closed, ada: w.make.user(), anyone: w.as(null), root, team: visitors(w) }
  },
  [
    line(
      'Most requests need authentication; otherwise only public data is returned. The documentation of each endpoint says when none is needed (for example `/projects/:id` does not need it). Methods:',
      'GET /projects/:id of a public project without a token → 200, of a private one → 404; GET /projects without a token → the public ones; GET /user without a token → 401',
      async ({ anyone, open, closed }) => {
        expect((await anyone.get(`/projects/${open.id}`)).status).toBe(200)
        expect((await anyone.get(`/projects/${closed.id}`)).status).toBe(404)
        const { body } = await anyone.get('/projects?per_page=100')
        expect(body.map((project: { id: number }) => project.id)).toContain(open.id)
        expect(
          body.every((project: { visibility?: string }) => (project.visibility ?? 'public') === 'public'),
        ).toBe(true)
        expect(body.map((project: { id: number }) => project.id)).not.toContain(closed.id)
        expect((await anyone.get('/user')).status).toBe(401)
      },
    ),
    line(
      'OAuth 2.0 token | query `access_token` or header `Authorization: Bearer <ACCESS_TOKEN>`; tokens should expire and can be renewed with the `refresh_token` parameter (lifetime given by `expires_in` in the token response)',
      'POST /oauth/token by password, then GET /user by header and query, then the refresh token',
      async ({ w, anyone }) => {
        const params = { grant_type: 'password', username: 'root', password: w.root.password }
        const { body } = await anyone.post('!/oauth/token', params)
        expect(body.expires_in).toBeGreaterThan(0)
        expect(
          (await anyone.get('/user', { authorization: `Bearer ${body.access_token}` })).body.username,
        ).toBe('root')
        expect((await anyone.get(`/user?access_token=${body.access_token}`)).body.username).toBe('root')
        const renewed = await anyone.post('!/oauth/token', {
          grant_type: 'refresh_token',
          refresh_token: body.refresh_token,
        })
        expect(renewed.body.access_token).not.toBe(body.access_token)
      },
    ),
    line(
      'Personal, project or group access token | query `private_token` or header `PRIVATE-TOKEN: <ACCESS_TOKEN>`, or header `Authorization: Bearer <ACCESS_TOKEN>`',
      'GET /user by query private_token, header PRIVATE-TOKEN, header Authorization → 200; a project token too',
      async ({ w, root, anyone, closed, ada }) => {
        expect((await anyone.get(`/user?private_token=${ada.token}`)).body.id).toBe(ada.id)
        expect((await anyone.get('/user', { 'private-token': ada.token })).body.id).toBe(ada.id)
        expect((await anyone.get('/user', { authorization: `Bearer ${ada.token}` })).body.id).toBe(ada.id)
        const { body } = await root.post(`/projects/${closed.id}/access_tokens`, {
          name: 't',
          scopes: ['api'],
          access_level: 30,
          expires_at: '2099-01-01',
        })
        expect((await w.as({ ...ada, token: body.token }).get(`/projects/${closed.id}`)).status).toBe(200)
      },
    ),
    line(
      'Impersonation token | a personal access token created only by an administrator; sent like a personal token; impersonation can be disabled in configuration (enabled by default)',
      'POST /users/:id/impersonation_tokens → a token that acts as them; for oneself by a user → 403',
      async ({ w, root, anyone, ada }) => {
        const { body } = await root.post(`/users/${ada.id}/impersonation_tokens`, {
          name: 't',
          scopes: ['api'],
        })
        expect((await anyone.get('/user', { 'private-token': body.token })).body.id).toBe(ada.id)
        expect(
          (await w.as(ada).post(`/users/${ada.id}/impersonation_tokens`, { name: 't', scopes: ['api'] }))
            .status,
        ).toBe(403)
      },
      from('administrator', (client, { ada }) =>
        client.post(`/users/${ada.id}/impersonation_tokens`, { name: 't', scopes: ['api'] }),
      ),
    ),
    line(
      'Session cookie | cookie `_service_session` set by signing in to the web application; used if present; cannot be created via the API',
      'POST /-/session sets _service_session, which GET /user takes',
      async ({ w, anyone }) => {
        const answer = await anyone.post('/-/session', { login: 'root', password: w.root.password })
        const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
        expect(cookie).toMatch(/^_service_session=/)
        expect((await anyone.get('/user', { cookie })).body.username).toBe('root')
      },
    ),
    line(
      'CI job token | header `JOB-TOKEN`, accepted only by specific endpoints (for example the releases list and get)',
      'GET /projects/:id/releases and …/:tag_name with JOB-TOKEN of a running job → 200, with a wrong one → 401; GET /user and …/feature_flags with it → 401',
      async ({ w, root, anyone, open, closed }) => {
        expect((await anyone.get(`/projects/${open.id}/releases`, { 'job-token': 'wrong' })).status).toBe(401)
        const at = `/projects/${closed.id}`
        await root.post(`${at}/releases`, { tag_name: 'v1', ref: 'main' })
        const content = 'build: { script: make, tags: [of-tokens] }'
        const file = { branch: 'main', content, commit_message: 'CI' }
        await root.post(`${at}/repository/files/.gitlab-ci.yml`, file)
        const params = { runner_type: 'instance_type', tag_list: 'of-tokens', run_untagged: false }
        const { body: runner } = await root.post('/user/runners', params)
        await w.drain()
        const { body: job } = await anyone.post('/jobs/request', { token: runner.token })
        const status = async (path: string) => (await anyone.get(path, { 'job-token': job.token })).status
        expect([await status(`${at}/releases`), await status(`${at}/releases/v1`)]).toEqual([200, 200])
        expect([await status('/user'), await status(`${at}/feature_flags`)]).toEqual([401, 401])
      },
    ),
    unproven(
      'Which endpoints accept the job token, other than releases: not shown.',
      'The contract does not show them; spec ci does.',
    ),
    line(
      'Deploy tokens cannot be used with the API. Project access tokens are supported on self-managed Free and higher and on SaaS Premium and higher.',
      'GET /user and GET /projects/:id with a deploy token as PRIVATE-TOKEN, DEPLOY-TOKEN or Bearer → 401 or 404',
      async ({ root, anyone, closed }) => {
        const { body } = await root.post(`/projects/${closed.id}/deploy_tokens`, {
          name: 't',
          scopes: ['read_repository'],
        })
        for (const headers of [
          { 'private-token': body.token },
          { 'deploy-token': body.token },
          { authorization: `Bearer ${body.token}` },
        ]) {
          expect((await anyone.get('/user', headers)).status).toBe(401)
          expect([401, 404]).toContain((await anyone.get(`/projects/${closed.id}`, headers)).status)
        }
      },
    ),
    line(
      "Sudo: an administrator using an OAuth or personal token with scope `sudo` can act as another user by passing `sudo` (query) or header `Sudo` with the target user ID or username (case-insensitive); the request runs with that user's permissions.",
      'GET /user with Sudo: id or name in capitals, or ?sudo= → as that user',
      async ({ w, anyone, ada }) => {
        const token = w.make.token(w.root, ['api', 'sudo'])
        for (const sudo of [String(ada.id), ada.username.toUpperCase()])
          expect((await anyone.get('/user', { 'private-token': token, sudo })).body.id).toBe(ada.id)
        expect((await anyone.get(`/user?sudo=${ada.username}`, { 'private-token': token })).body.id).toBe(
          ada.id,
        )
      },
    ),
    line(
      'Roles named in endpoint rules: Reporter, Developer, Maintainer, Owner, administrator. Access levels appear as integers (30 = Developers + Maintainers, 40 = Maintainers).',
      'GET /projects/:id/protected_branches → access_level 40, Maintainers; POST of a branch with 30 → Developers + Maintainers; a commit to the first branch by a maintainer → 201, by a developer → 403; to the second by a developer → 201, by a reporter → 403',
      async ({ w, root, open }) => {
        const { body } = await root.get(`/projects/${open.id}/protected_branches`)
        expect(body[0].push_access_levels[0]).toMatchObject({
          access_level: 40,
          access_level_description: 'Maintainers',
        })
        const at = `/projects/${open.id}`
        await root.post(`${at}/repository/branches`, { branch: 'stable', ref: 'main' })
        const protection = { name: 'stable', push_access_level: 30 }
        const made = await root.post(`${at}/protected_branches`, protection)
        expect(made.body.push_access_levels[0]).toMatchObject({
          access_level: 30,
          access_level_description: 'Developers + Maintainers',
        })
        const { clients } = await teamOn(w, 'projects', open)
        const commit = async (branch: string, caller: 'reporter' | 'developer' | 'maintainer') =>
          (
            await clients[caller]!.post(`${at}/repository/commits`, {
              branch,
              commit_message: 'New',
              actions: [{ action: 'create', file_path: `of-${caller}.txt`, content: 'x' }],
            })
          ).status
        expect([await commit('main', 'maintainer'), await commit('main', 'developer')]).toEqual([201, 403])
        expect([await commit('stable', 'developer'), await commit('stable', 'reporter')]).toEqual([201, 403])
      },
    ),
  ],
)
