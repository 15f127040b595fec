import { expect } from 'vitest'

import {
  FORBIDDEN,
  HIDDEN_GROUP,
  HIDDEN_PROJECT,
  eachFrom,
  from,
  shown,
  teamOn,
  UNAUTHORIZED,
  within,
  type Access,
} from '../access.ts'
import { accessLine, line, section, type CheckArgs, type Line } from '../section.ts'

const token = { name: 'n', scopes: ['api'], access_level: 10, expires_at: '2999-01-01' }

const newToken = async ({ root, at }: CheckArgs): Promise<string> =>
  `${at}/access_tokens/${(await root.post(`${at}/access_tokens`, token)).body.id}`

/** The rules for the access tokens of one kind of owner. */
function rulesOf(name: string, least: 'maintainer' | 'owner', hidden: object): Line[] {
  const of = (access: Access): Access => within(name, access)
  const path = name === 'inGroup' ? '/groups/:id' : '/projects/:id'
  const noun = name === 'inGroup' ? 'group' : 'project'
  const noRight = [
    400,
    `400 Bad request - User does not have permission to create ${noun} access token`,
  ] as const
  return [
    accessLine(
      `7.4 GET ${path}/access_tokens: ${least === 'owner' ? 'O' : 'M+'}, 401 no right`,
      of(
        eachFrom(
          least,
          {
            'GET …/access_tokens': (client, { at }) => client.get(`${at}/access_tokens`),
            'GET …/access_tokens/:token_id': async (client, args) => client.get(await newToken(args)),
          },
          { ...hidden, member: UNAUTHORIZED },
        ),
      ),
    ),
    accessLine(
      `7.4 POST ${path}/access_tokens: 400 without permission`,
      of(from(least, (client, { at }) => client.post(`${at}/access_tokens`, token), { member: noRight })),
    ),
    accessLine(
      `7.4 POST ${path}/access_tokens/:token_id/rotate: 401`,
      of(
        from(least, async (client, args) => client.post(`${await newToken(args)}/rotate`), {
          member: UNAUTHORIZED,
        }),
      ),
    ),
  ]
}

/** The requests that a scope allows, and those that it does not: status and error. */
async function requestsWith(
  { w, root, at, user }: CheckArgs,
  scope: string,
): Promise<Record<string, boolean>> {
  const client = w.as({ ...user, token: w.make.token(user, [scope]) })
  const { body } = await root.get(`${at}/repository/branches`)
  const answers = {
    'GET /user': await client.get('/user'),
    'GET /projects/:id': await client.get(at),
    'GET …/files/:file_path': await client.get(`${at}/repository/files/README.md?ref=${body[0].name}`),
    'PUT /projects/:id': await client.put(at, { description: scope }),
  }
  const allowed: Record<string, boolean> = {}
  for (const [name, { status, body }] of Object.entries(answers)) {
    allowed[name] = status < 400
    if (status >= 400) expect([name, status, body.error]).toEqual([name, 403, 'insufficient_scope'])
  }
  return allowed
}

const scopeLine = (says: string, scope: string, allowed: readonly boolean[]): Line =>
  line(`7.4 ${says}`, `requests with ${scope}: others → 403 insufficient_scope`, async (args) => {
    expect(Object.values(await requestsWith(args, scope))).toEqual(allowed)
  })

export const statements = section(
  'core 7.4 and 8: Tokens, scopes, visibility',
  async (w) => {
    const project = await w.make.project({ with: 'readme' })
    const group = await w.make.group()
    const user = w.make.user()
    await w.make.member('projects', project.id, user, 40)
    const made = async (visibility: string, more: object = {}) => {
      const owner = await w.make.project({ visibility, ...more })
      return {
        at: `/projects/${owner.id}`,
        team: await teamOn(w, 'projects', owner),
        user: w.make.user({ external: true }),
      }
    }
    return {
      at: `/projects/${project.id}`,
      user,
      inProject: { at: `/projects/${project.id}`, team: await teamOn(w, 'projects', project) },
      inGroup: { at: `/groups/${group.id}`, team: await teamOn(w, 'groups', group) },
      private: await made('private'),
      internal: await made('internal'),
      public: await made('public'),
      membersOnly: await made('public', {
        issues_access_level: 'private',
        merge_requests_access_level: 'private',
        snippets_access_level: 'private',
        wiki_access_level: 'private',
        repository_access_level: 'private',
      }),
    }
  },
  [
    ...rulesOf('inProject', 'maintainer', HIDDEN_PROJECT),
    ...rulesOf('inGroup', 'owner', HIDDEN_GROUP),
    line(
      '7.4 the bot of a project token is a member with the level of the token',
      'a token of level 30 commits to a new branch → 201, one of level 20 → 403',
      async ({ root, w, at }) => {
        for (const [access_level, expected] of [
          [30, 201],
          [20, 403],
        ] as const) {
          const { body } = await root.post(`${at}/access_tokens`, { ...token, access_level })
          const bot = w.as({ id: body.user_id, username: '', password: '', token: body.token })
          const answer = await bot.post(`${at}/repository/branches`, {
            branch: `by-${access_level}`,
            ref: 'main',
          })
          expect([access_level, answer.status]).toEqual([access_level, expected])
        }
      },
    ),
    scopeLine('api allows everything', 'api', [true, true, true, true]),
    scopeLine('read_api allows GET', 'read_api', [true, true, true, false]),
    scopeLine('read_user allows GET of /user', 'read_user', [true, false, false, false]),
    scopeLine('read_repository allows GET of files endpoints', 'read_repository', [
      false,
      false,
      true,
      false,
    ]),
    accessLine(
      '8.4 private = members; an invisible project answers 404',
      within(
        'private',
        from('guest', (client, { at }) => client.get(at), HIDDEN_PROJECT),
      ),
    ),
    line(
      '8.4 internal = every signed-in user except external ones',
      'GET by an external user → 404',
      async ({ w, internal }) => {
        const answer = await w.as(internal.user).get(internal.at)
        expect([answer.status, answer.body]).toEqual([404, { message: '404 Project Not Found' }])
      },
      within(
        'internal',
        from('stranger', (client, { at }) => client.get(at), HIDDEN_PROJECT),
      ),
    ),
    accessLine(
      '8.4 public = all',
      within(
        'public',
        from('anonymous', (client, { at }) => client.get(at)),
      ),
    ),
    accessLine(
      '8.4 a feature private for a non-member: wiki, snippets and repository answer 403',
      within(
        'membersOnly',
        eachFrom('guest', {
          'GET …/wikis': (client, { at }) => client.get(`${at}/wikis`),
          'GET …/snippets': (client, { at }) => client.get(`${at}/snippets`),
        }),
      ),
    ),
    accessLine(
      '8.4 a feature private for a non-member: merge requests answer 403',
      within(
        'membersOnly',
        from('reporter', (client, { at }) => client.get(`${at}/merge_requests`), { member: FORBIDDEN }),
      ),
    ),
    accessLine(
      '1.1 issues and merge_requests in _links: only when that feature is visible',
      within(
        'membersOnly',
        shown(
          'guest',
          '_links.issues',
          (client, { at }) => client.get(at),
          (body) => '_links' in body && 'issues' in body._links,
        ),
      ),
    ),
    accessLine(
      '1.1 open_issues_count: if issues are visible',
      within(
        'membersOnly',
        shown('guest', 'open_issues_count', (client, { at }) => client.get(at)),
      ),
    ),
  ],
)
