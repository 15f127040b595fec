import { expect } from 'vitest'

import { pushTo } from '../../support/merge-requests.ts'
import { eachFrom, from, teamOn, UNAUTHORIZED, within } from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

/** A new merge request of an administrator, for a request that changes it. */
async function fresh({ w, root, project, at }: CheckArgs, branch: string): Promise<string> {
  await pushTo(w, project, branch, { [`${branch}.txt`]: 'x' })
  const { body } = await root.post(`${at}/merge_requests`, {
    source_branch: branch,
    target_branch: 'main',
    title: branch,
  })
  await w.drain()
  return `${at}/merge_requests/${body.iid}`
}

/** A new merge request that waits for its pipeline. */
async function waiting(args: CheckArgs, branch: string): Promise<string> {
  const { root, at } = args
  const request = await fresh(args, branch)
  const { body } = await root.get(request)
  await root.post(`${at}/statuses/${body.sha}`, { state: 'running', ref: branch, name: 'build' })
  await args.w.drain()
  const armed = await root.put(`${request}/merge`, { merge_when_pipeline_succeeds: true })
  expect(armed.body.merge_when_pipeline_succeeds).toBe(true)
  return request
}

/** A new approval rule of the merge request, for a request that changes it. */
async function newRule({ root, request }: CheckArgs, name: string): Promise<string> {
  const { body } = await root.post(`${request}/approval_rules`, {
    name,
    approvals_required: 1,
    user_ids: [1],
  })
  return `${request}/approval_rules/${body.id}`
}

export const statements = section(
  'core 5: Merge requests',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}`
    await root.post(`${at}/approvals`, { merge_requests_author_approval: true })
    const team = await teamOn(w, 'projects', project)
    const request = await fresh({ w, root, project, at }, 'known')
    const open = await w.make.project({ visibility: 'public', with: 'readme' })
    return {
      project,
      at,
      team,
      request,
      open: { at: `/projects/${open.id}`, team: await teamOn(w, 'projects', open), project: open },
    }
  },
  [
    line(
      '5.2 POST /projects/:id/merge_requests: needs the create right in the source project',
      'POST from a fork by its owner → 201, by a user who may only read the fork → 403',
      async ({ w, open }) => {
        const owner = w.make.user()
        const { body: fork } = await w.as(owner).post(`${open.at}/fork`)
        await w.drain()
        await pushTo(w, { id: fork.id }, 'mine', { f: 'x' }, { author: owner })
        const ask = {
          source_branch: 'mine',
          target_branch: 'main',
          title: 'T',
          target_project_id: open.project.id,
        }
        const refused = await w.as(w.make.user()).post(`/projects/${fork.id}/merge_requests`, ask)
        expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
        expect((await w.as(owner).post(`/projects/${fork.id}/merge_requests`, ask)).status).toBe(201)
      },
    ),
    accessLine(
      '5.2 POST {mr}/cancel_merge_when_pipeline_succeeds of a protected branch: 401',
      from(
        'maintainer',
        async (client, args, caller) =>
          client.post(`${await waiting(args, `wait-${caller}`)}/cancel_merge_when_pipeline_succeeds`),
        { developer: UNAUTHORIZED, reporter: UNAUTHORIZED },
      ),
    ),
    accessLine(
      '5.2 PUT {mr}/rebase: 403 Cannot push to source branch',
      from(
        'developer',
        async (client, args, caller) => client.put(`${await fresh(args, `rebase-${caller}`)}/rebase`),
        {
          reporter: [403, '403 Forbidden - Cannot push to source branch'],
        },
      ),
    ),
    accessLine(
      '5.2 POST {mr}/subscribe',
      from('reporter', (client, { request }) => client.post(`${request}/subscribe`)),
    ),
    accessLine(
      '5.2, administration 7.3 POST {mr}/todo: not readable 404',
      from('reporter', (client, { request }) => client.post(`${request}/todo`), {
        guest: [404, '404 Not found'],
      }),
    ),
    accessLine(
      '5.5 PUT {mr}/discussions/:discussion_id resolved: 403',
      from('developer', async (client, { root, request }) => {
        const { body } = await root.post(`${request}/discussions`, { body: 'n' })
        return client.put(`${request}/discussions/${body.id}`, { resolved: true })
      }),
    ),
    line(
      '5.5 PUT {mr}/discussions/:discussion_id resolved: the author of the merge request may',
      'PUT by the author, a guest of a public project → 200, by another guest → 403',
      async ({ w, open }) => {
        const author = w.make.user()
        const { body: fork } = await w.as(author).post(`${open.at}/fork`)
        await w.drain()
        await pushTo(w, { id: fork.id }, 'theirs', { f: 'x' }, { author })
        const { body } = await w.as(author).post(`/projects/${fork.id}/merge_requests`, {
          source_branch: 'theirs',
          target_branch: 'main',
          title: 'T',
          target_project_id: open.project.id,
        })
        const at = `${open.at}/merge_requests/${body.iid}/discussions`
        const { body: discussion } = await w.as(w.root).post(at, { body: 'n' })
        const resolve = (client: typeof open.team.clients.guest) =>
          client.put(`${at}/${discussion.id}`, { resolved: true })
        const refused = await resolve(open.team.clients.guest)
        expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
        expect((await resolve(w.as(author))).status).toBe(200)
      },
    ),
    line(
      '5.5 {mr}/draft_notes: own drafts only',
      'GET, PUT, DELETE and publish of a draft by another → 404, by its author → 200, 204',
      async ({ team, request }) => {
        const { developer, owner } = team.clients
        const { body } = await developer.post(`${request}/draft_notes`, { note: 'n' })
        const at = `${request}/draft_notes/${body.id}`
        const statuses = async (client: typeof owner) => [
          (await client.get(at)).status,
          (await client.put(at, { note: 'm' })).status,
          (await client.put(`${at}/publish`)).status,
          (await client.delete(at)).status,
        ]
        expect(await statuses(owner)).toEqual([404, 404, 404, 404])
        expect((await owner.get(`${request}/draft_notes`)).body).toEqual([])
        expect((await statuses(developer)).slice(0, 3)).toEqual([200, 200, 204])
      },
    ),
    accessLine(
      '5.6 POST {mr}/approvals: 403',
      from('developer', (client, { request }) =>
        client.post(`${request}/approvals`, { approvals_required: 0 }),
      ),
    ),
    accessLine(
      '5.6 POST, PUT, DELETE {mr}/approval_rules: 403',
      eachFrom('developer', {
        'POST …/approval_rules': (client, { request }, name) =>
          client.post(`${request}/approval_rules`, { name, approvals_required: 0, user_ids: [1] }),
        'PUT …/approval_rules/:id': async (client, args, caller) =>
          client.put(await newRule(args, `put-${caller}`), { approvals_required: 0, user_ids: [1] }),
        'DELETE …/approval_rules/:id': async (client, args, caller) =>
          client.delete(await newRule(args, `gone-${caller}`)),
      }),
    ),
    accessLine(
      '5.6, administration 12.4 POST {mr}/approve: Developer+, others 401',
      from(
        'developer',
        async (client, args, caller) => client.post(`${await fresh(args, `approve-${caller}`)}/approve`),
        {
          reporter: UNAUTHORIZED,
        },
      ),
    ),
    line(
      'administration 12.4 POST {mr}/approve: a listed approver with a lesser role may',
      'POST by a reporter in a rule → 201',
      async (args) => {
        const { root, team } = args
        const request = await fresh(args as CheckArgs, 'listed')
        const { id } = (await team.clients.reporter.get('/user')).body
        await root.post(`${request}/approval_rules`, { name: 'R', approvals_required: 1, user_ids: [id] })
        expect((await team.clients.reporter.post(`${request}/approve`)).status).toBe(201)
      },
    ),
    line(
      '5.6 PUT {mr}/reset_approvals: bot users of project and group tokens only',
      'PUT by a project bot → 202, by owners and administrators → 401',
      async (args) => {
        const { w, root, at, team, request } = args
        const { body } = await root.post(`${at}/access_tokens`, {
          name: 'n',
          scopes: ['api'],
          access_level: 30,
          expires_at: '2999-01-01',
        })
        const bot = w.as({ id: 0, username: '', password: '', token: body.token })
        for (const caller of ['owner', 'administrator']) {
          const refused = await team.clients[caller].put(`${request}/reset_approvals`)
          expect([caller, refused.status, refused.body]).toEqual([
            caller,
            401,
            { message: '401 Unauthorized' },
          ])
        }
        const answer = await bot.put(`${request}/reset_approvals`)
        expect([answer.status, answer.body]).toEqual([202, 202])
      },
    ),
    accessLine(
      '5.2 GET /projects/:id/merge_requests of a public project',
      within(
        'open',
        from('stranger', (client, { at }) => client.get(`${at}/merge_requests`)),
      ),
    ),
  ],
)
