import { expect } from 'vitest'

import {
  eachFrom,
  FORBIDDEN,
  from,
  HIDDEN_PROJECT,
  shown,
  teamInside,
  teamOn,
  UNAUTHORIZED,
  visitors,
  within,
  type Access,
  type Caller,
} from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

const label = (name: string) => ({ name, color: '#112233' })

/** Changes to the labels and milestones of a project or group. */
const planning = (): Access =>
  eachFrom('reporter', {
    'POST …/labels': (client, { at }, caller) => client.post(`${at}/labels`, label(`new-${caller}`)),
    'PUT …/labels/:label_id': (client, { at, labelId }, description) =>
      client.put(`${at}/labels/${labelId}`, { description }),
    'DELETE …/labels/:label_id': async (client, { root, at }, caller) => {
      const { body } = await root.post(`${at}/labels`, label(`gone-${caller}`))
      return client.delete(`${at}/labels/${body.id}`)
    },
    'POST …/milestones': (client, { at }, title) =>
      client.post(`${at}/milestones`, { title: `${title} of ${at}` }),
    'PUT …/milestones/:milestone_id': (client, { at, milestoneId }, description) =>
      client.put(`${at}/milestones/${milestoneId}`, { description }),
    'DELETE …/milestones/:milestone_id': async (client, { root, at }, caller) => {
      const { body } = await root.post(`${at}/milestones`, { title: `gone-${caller} of ${at}` })
      return client.delete(`${at}/milestones/${body.id}`)
    },
  })

/** A note of an administrator on an issue or merge request, for a request that changes it. */
async function newNote({ root, at }: CheckArgs, noteable: string): Promise<string> {
  const { body } = await root.post(`${at}/${noteable}/notes`, { body: 'n' })
  return `${at}/${noteable}/notes/${body.id}`
}

const newIssue = async ({ root, at }: CheckArgs): Promise<number> =>
  (await root.post(`${at}/issues`, { title: 'T' })).body.iid

const snippet = (visibility: string) => ({ title: 'T', file_name: 'f', content: 'x', visibility })

/** A request of another client than the note's author, to a note of a new issue. */
const ofOthers = (least: Caller): Access =>
  eachFrom(least, {
    'PUT …/notes/:note_id': async (client, args) =>
      client.put(await newNote(args, `issues/${await newIssue(args)}`), { body: 'changed' }),
    'DELETE …/notes/:note_id': async (client, args) =>
      client.delete(await newNote(args, `issues/${await newIssue(args)}`)),
  })

export const statements = section(
  'core 6: Planning objects, snippets, wikis, emoji, events',
  async (w, root) => {
    const group = await w.make.group()
    const inside = await teamOn(w, 'groups', group)
    const project = await w.make.project({ namespace_id: group.id, with: 'readme' })
    const prepared = async (at: string) => ({
      at,
      labelId: (await root.post(`${at}/labels`, label('known'))).body.id,
      milestoneId: (await root.post(`${at}/milestones`, { title: `known of ${at}` })).body.id,
    })
    const at = `/projects/${project.id}`
    const { body: first } = await root.post(`${at}/issues`, { title: 'First' })
    const { body: mine } = await root.post('/snippets', snippet('public'))
    const { body: shared } = await root.post(`${at}/snippets`, snippet('private'))
    await root.post(`${at}/wikis`, { title: 'Home', content: 'x' })
    const off = await w.make.project({ visibility: 'public', snippets_access_level: 'disabled' })
    return {
      ...(await prepared(at)),
      team: teamInside(inside),
      first,
      mine,
      shared,
      off: { at: `/projects/${off.id}`, team: await teamOn(w, 'projects', off) },
      inGroup: { ...(await prepared(`/groups/${group.id}`)), team: inside },
      everywhere: { team: visitors(w) },
    }
  },
  [
    accessLine('6.1, 6.2 labels and milestones of a project: 403, R+ needed', planning()),
    accessLine('6.1, 6.2 labels and milestones of a group: 403, R+ needed', within('inGroup', planning())),
    accessLine(
      '6.1 PUT …/labels/:label_id/promote and 6.2 POST …/promote: R+ in the group',
      eachFrom('reporter', {
        'PUT …/labels/:label_id/promote': async (client, { root, at }, caller) => {
          const { body } = await root.post(`${at}/labels`, label(`up-${caller}`))
          return client.put(`${at}/labels/${body.id}/promote`)
        },
        'POST …/milestones/:milestone_id/promote': async (client, { root, at }, caller) => {
          const { body } = await root.post(`${at}/milestones`, { title: `up-${caller}` })
          return client.post(`${at}/milestones/${body.id}/promote`)
        },
      }),
    ),
    line(
      '6.2 POST …/milestones/:milestone_id/promote: R+ in the group, not only in the project',
      'POST by a maintainer of the project who is no member of the group → 403',
      async ({ w, root, at }) => {
        const user = w.make.user()
        await w.make.member('projects', Number(at.split('/').at(-1)), user, 40)
        const { body } = await root.post(`${at}/milestones`, { title: 'Not up' })
        const answer = await w.as(user).post(`${at}/milestones/${body.id}/promote`)
        expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
      },
    ),
    accessLine(
      '6.3 GET /issues: 401 unless scope=all',
      within(
        'everywhere',
        from('stranger', (client) => client.get('/issues')),
      ),
    ),
    accessLine(
      '6.3 GET /issues with scope=all',
      within(
        'everywhere',
        from('anonymous', (client) => client.get('/issues?scope=all')),
      ),
    ),
    accessLine(
      '6.3 GET /issues/:id: adm',
      from('administrator', (client, { first }) => client.get(`/issues/${first.id}`), {
        stranger: FORBIDDEN,
      }),
    ),
    accessLine(
      '6.3 POST /projects/:id/issues: 403',
      from('guest', (client, { at }, title) => client.post(`${at}/issues`, { title })),
    ),
    accessLine(
      '6.3 created_at and iid of a new issue: O or adm',
      shown(
        'owner',
        'the given time and IID',
        (client, { at }, caller) =>
          client.post(`${at}/issues`, {
            title: 'T',
            created_at: '2020-02-02T00:00:00Z',
            iid: 1000 + caller.length * 100,
          }),
        (body, _args, caller) =>
          body.created_at === '2020-02-02T00:00:00.000Z' && body.iid === 1000 + caller.length * 100,
      ),
    ),
    accessLine(
      '6.3 PUT /projects/:id/issues/:iid of others: 403',
      from('reporter', (client, { at, first }, title) => client.put(`${at}/issues/${first.iid}`, { title })),
    ),
    line(
      '6.3 PUT /projects/:id/issues/:iid: the author may',
      'PUT by a guest of their own issue → 200, of another → 403',
      async ({ at, team, first }) => {
        const { guest } = team.clients
        const { body } = await guest.post(`${at}/issues`, { title: 'Own' })
        expect((await guest.put(`${at}/issues/${body.iid}`, { title: 'Still own' })).status).toBe(200)
        const other = await guest.put(`${at}/issues/${first.iid}`, { title: 'Not own' })
        expect([other.status, other.body]).toEqual([403, { message: '403 Forbidden' }])
      },
    ),
    accessLine(
      '6.3 DELETE an issue: O or adm',
      from('owner', async (client, args) => client.delete(`${args['at']}/issues/${await newIssue(args)}`)),
    ),
    accessLine(
      '5.6 labels unknown to the project are created when the caller may create labels (R+)',
      shown(
        'reporter',
        'the new label',
        (client, { at }, caller) => client.post(`${at}/issues`, { title: 'T', labels: `unknown-${caller}` }),
        (body, _args, caller) => body.labels.includes(`unknown-${caller}`),
      ),
    ),
    accessLine(
      '5.5 POST {noteable}/notes: 403, 404',
      from('guest', (client, { at, first }) => client.post(`${at}/issues/${first.iid}/notes`, { body: 'n' })),
    ),
    accessLine(
      '5.5 internal, confidential of a note: R+',
      eachFrom('reporter', {
        'POST …/notes internal': (client, { at, first }) =>
          client.post(`${at}/issues/${first.iid}/notes`, { body: 'n', internal: true }),
        'POST …/notes confidential': (client, { at, first }) =>
          client.post(`${at}/issues/${first.iid}/notes`, { body: 'n', confidential: true }),
      }),
    ),
    accessLine(
      '5.5 created_at of a note: M+ or adm',
      shown(
        'maintainer',
        'the given time',
        (client, { at, first }) =>
          client.post(`${at}/issues/${first.iid}/notes`, { body: 'n', created_at: '2020-02-02T00:00:00Z' }),
        (body) => body.created_at === '2020-02-02T00:00:00.000Z',
      ),
    ),
    accessLine('5.5 PUT and DELETE {noteable}/notes/:note_id: author or M+', ofOthers('maintainer')),
    line(
      '5.5 PUT and DELETE {noteable}/notes/:note_id: the author may',
      'PUT and DELETE by a guest of their own note → 200, 204',
      async ({ at, team, first }) => {
        const { guest } = team.clients
        const { body } = await guest.post(`${at}/issues/${first.iid}/notes`, { body: 'own' })
        const note = `${at}/issues/${first.iid}/notes/${body.id}`
        expect((await guest.put(note, { body: 'still own' })).status).toBe(200)
        expect((await guest.delete(note)).status).toBe(204)
      },
    ),
    accessLine(
      '5.5 DELETE {noteable}/discussions/:id/notes/:note_id: 403',
      from('maintainer', async (client, { root, at, first }) => {
        const { body } = await root.post(`${at}/issues/${first.iid}/discussions`, { body: 'n' })
        return client.delete(`${at}/issues/${first.iid}/discussions/${body.id}/notes/${body.notes[0].id}`)
      }),
    ),
    accessLine(
      '6.5 DELETE {award}/:award_id of others: adm, 401',
      from(
        'administrator',
        async (client, args) => {
          const at = `${args['at']}/issues/${await newIssue(args)}/award_emoji`
          const { body } = await args.root.post(at, { name: 'rocket' })
          return client.delete(`${at}/${body.id}`)
        },
        { member: UNAUTHORIZED },
      ),
    ),
    line('6.5 DELETE {award}/:award_id: own', 'DELETE by a guest of their own award → 204', async (args) => {
      const at = `${args['at']}/issues/${await newIssue(args)}/award_emoji`
      const { guest } = args['team'].clients
      const { body } = await guest.post(at, { name: 'rocket' })
      expect((await guest.delete(`${at}/${body.id}`)).status).toBe(204)
    }),
    accessLine(
      '6.6 repository_storage of a snippet: adm',
      within(
        'everywhere',
        shown('administrator', 'repository_storage', (client, { mine }) =>
          client.get(`/snippets/${mine.id}`),
        ),
      ),
    ),
    accessLine(
      '6.6 GET /snippets (own): 401; GET /snippets/public',
      within(
        'everywhere',
        eachFrom('stranger', {
          'GET /snippets': (client) => client.get('/snippets'),
          'GET /snippets/all': (client) => client.get('/snippets/all'),
          'POST /snippets': (client) => client.post('/snippets', snippet('private')),
        }),
      ),
    ),
    accessLine(
      '6.6 GET /snippets/all: adm sees all',
      within(
        'everywhere',
        shown(
          'administrator',
          'a private snippet of another user',
          (client) => client.get('/snippets/all?per_page=100'),
          (body, { shared }) => body.some(({ id }: { id: number }) => id === shared.id),
        ),
      ),
    ),
    line('6.6 GET /snippets: own', 'GET by a user → only their snippets', async ({ w }) => {
      const user = w.as(w.make.user())
      const { body } = await user.post('/snippets', snippet('private'))
      expect((await user.get('/snippets')).body.map(({ id }: { id: number }) => id)).toEqual([body.id])
    }),
    line(
      '6.6 POST /snippets: 403',
      'POST by an external user → 403, by another user → 201',
      async ({ w }) => {
        const refused = await w.as(w.make.user({ external: true })).post('/snippets', snippet('private'))
        expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
        expect((await w.as(w.make.user()).post('/snippets', snippet('private'))).status).toBe(201)
      },
    ),
    accessLine(
      '6.6 GET …/user_agent_detail: adm',
      eachFrom(
        'administrator',
        {
          'GET /snippets/:id/user_agent_detail': (client, { mine }) =>
            client.get(`/snippets/${mine.id}/user_agent_detail`),
        },
        { stranger: FORBIDDEN },
      ),
    ),
    accessLine(
      '6.6 POST /projects/:id/snippets',
      from('reporter', (client, { at }) => client.post(`${at}/snippets`, snippet('private'))),
    ),
    accessLine(
      '6.6 PUT and DELETE /projects/:id/snippets/:id of others',
      eachFrom('maintainer', {
        'PUT …/snippets/:id': (client, { at, shared }, title) =>
          client.put(`${at}/snippets/${shared.id}`, { title }),
        'DELETE …/snippets/:id': async (client, { root, at }) => {
          const { body } = await root.post(`${at}/snippets`, snippet('private'))
          return client.delete(`${at}/snippets/${body.id}`)
        },
      }),
    ),
    line(
      '6.6 project snippets: 403 when the feature is off',
      'GET and POST by an owner → 403',
      async ({ off }) => {
        for (const answer of [
          await off.team.clients.owner.get(`${off.at}/snippets`),
          await off.team.clients.owner.post(`${off.at}/snippets`, snippet('private')),
        ])
          expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
      },
    ),
    accessLine(
      '6.7 GET /projects/:id/wikis: 403 without wiki right',
      eachFrom(
        'guest',
        {
          'GET …/wikis': (client, { at }) => client.get(`${at}/wikis`),
          'GET …/wikis/:slug': (client, { at }) => client.get(`${at}/wikis/Home`),
        },
        HIDDEN_PROJECT,
      ),
    ),
    accessLine(
      '6.7, administration 10.1 POST, PUT, DELETE and attachments of /projects/:id/wikis: Developer',
      eachFrom('developer', {
        'POST …/wikis': (client, { at }, title) => client.post(`${at}/wikis`, { title, content: 'x' }),
        'PUT …/wikis/:slug': (client, { at }, content) => client.put(`${at}/wikis/Home`, { content }),
        'DELETE …/wikis/:slug': async (client, { root, at }, caller) => {
          await root.post(`${at}/wikis`, { title: `gone-${caller}`, content: 'x' })
          return client.delete(`${at}/wikis/gone-${caller}`)
        },
        'POST …/wikis/attachments': (client, { at }) => {
          const form = new FormData()
          form.set('file', new Blob(['x']), 'a.txt')
          return client.post(`${at}/wikis/attachments`, form)
        },
      }),
    ),
    accessLine(
      '6.8 GET /events: 401',
      within(
        'everywhere',
        from('stranger', (client) => client.get('/events')),
      ),
    ),
    line(
      '6.8 GET /events: own, with scope=all of all visible projects',
      'GET by a guest → none of others; with scope=all → those of the project',
      async ({ w, root, at, team }) => {
        await root.post(`${at}/issues`, { title: 'Event' })
        await w.drain()
        const authors = async (query: string) =>
          new Set(
            (await team.clients.guest.get(`/events${query}`)).body.map(
              (event: { author_id: number }) => event.author_id,
            ),
          )
        const { id } = (await team.clients.guest.get('/user')).body
        expect([...(await authors(''))].filter((author) => author !== id)).toEqual([])
        expect([...(await authors('?scope=all'))]).toContain(w.root.id)
      },
    ),
  ],
)
