import {
  eachFrom,
  from,
  HIDDEN_GROUP,
  HIDDEN_PROJECT,
  teamOn,
  within,
  type Access,
  type Caller,
} from '../access.ts'
import { accessLine, section, type CheckArgs, type Line } from '../section.ts'

/** A new user who is a member of the owner, for a request that changes the membership. */
async function newMember({ w, kind, id }: CheckArgs): Promise<number> {
  const user = w.make.user()
  await w.make.member(kind, id, user, 10)
  return user.id
}

/** A new user who has requested access to the owner. */
async function requester({ w, at }: CheckArgs): Promise<number> {
  const user = w.make.user()
  await w.as(user).post(`${at}/access_requests`)
  return user.id
}

const address = (args: CheckArgs, caller: Caller) => `${caller}-${args['kind']}@example.test`

async function invited(args: CheckArgs, caller: Caller): Promise<string> {
  const email = `of-${address(args, caller)}`
  await args.root.post(`${args['at']}/invitations`, { email, access_level: 10 })
  return `${args['at']}/invitations/${encodeURIComponent(email)}`
}

const reads = (least: Caller, refusals: object): Access =>
  eachFrom(
    least,
    {
      'GET …/members': (client, { at }) => client.get(`${at}/members`),
      'GET …/members/all': (client, { at }) => client.get(`${at}/members/all`),
      'GET …/members/:user_id': (client, { at, member }) => client.get(`${at}/members/${member}`),
      'GET …/members/all/:user_id': (client, { at, member }) => client.get(`${at}/members/all/${member}`),
    },
    refusals,
  )

/** The lines about one kind of owner. `manager` and all roles above manage its members. */
function rulesOf(name: string, manager: 'maintainer' | 'owner', hidden: object): Line[] {
  const of = (access: Access): Access => within(name, access)
  const path = name === 'inGroup' ? '/groups/:id' : '/projects/:id'
  return [
    accessLine(`1.4 GET ${path}/members, private`, of(reads('guest', hidden))),
    accessLine(
      `1.4 GET ${path}/members, public: 401 when signed out`,
      within(`${name}Open`, reads('stranger', {})),
    ),
    accessLine(
      `1.4 POST, PUT, DELETE ${path}/members: 403 without M+ (O for groups)`,
      of(
        eachFrom(manager, {
          'POST …/members': (client, { w, at }) =>
            client.post(`${at}/members`, { user_id: w.make.user().id, access_level: 10 }),
          'PUT …/members/:user_id': async (client, args) =>
            client.put(`${args['at']}/members/${await newMember(args)}`, { access_level: 20 }),
          'DELETE …/members/:user_id': async (client, args) =>
            client.delete(`${args['at']}/members/${await newMember(args)}`),
        }),
      ),
    ),
    accessLine(
      `1.4 ${path}/invitations: 403`,
      of(
        eachFrom(manager, {
          'POST …/invitations': (client, args, caller) =>
            client.post(`${args['at']}/invitations`, { email: address(args, caller), access_level: 10 }),
          'PUT …/invitations/:email': async (client, args, caller) =>
            client.put(await invited(args, caller), { access_level: 20 }),
          'DELETE …/invitations/:email': async (client, args, caller) =>
            client.delete(await invited(args, caller)),
        }),
      ),
    ),
    accessLine(
      `1.4 GET ${path}/invitations: 403`,
      of(from(manager, (client, { at }) => client.get(`${at}/invitations`), hidden)),
    ),
    accessLine(
      `1.4 GET ${path}/access_requests`,
      within(
        `${name}Open`,
        from(manager, (client, { at }) => client.get(`${at}/access_requests`)),
      ),
    ),
    accessLine(
      `1.4 PUT …/access_requests/:user_id/approve and DELETE …/access_requests/:user_id of ${path}`,
      within(
        `${name}Open`,
        eachFrom(manager, {
          'PUT …/access_requests/:user_id/approve': async (client, args) =>
            client.put(`${args['at']}/access_requests/${await requester(args)}/approve`),
          'DELETE …/access_requests/:user_id': async (client, args) =>
            client.delete(`${args['at']}/access_requests/${await requester(args)}`),
        }),
      ),
    ),
  ]
}

export const statements = section(
  'core 1.4: Members, invitations, access requests',
  async (w) => {
    const prepared = async (kind: 'projects' | 'groups', visibility: string) => {
      const owner =
        kind === 'projects' ? await w.make.project({ visibility }) : await w.make.group({ visibility })
      const user = w.make.user()
      await w.make.member(kind, owner.id, user, 10)
      const team = await teamOn(w, kind, owner)
      return { kind, id: owner.id, at: `/${kind}/${owner.id}`, member: user.id, team }
    }
    return {
      inProject: await prepared('projects', 'private'),
      inProjectOpen: await prepared('projects', 'public'),
      inGroup: await prepared('groups', 'private'),
      inGroupOpen: await prepared('groups', 'public'),
    }
  },
  [
    ...rulesOf('inProject', 'maintainer', HIDDEN_PROJECT),
    ...rulesOf('inGroup', 'owner', HIDDEN_GROUP),
    accessLine(
      '1.4 GET /groups/:id/billable_members',
      within(
        'inGroup',
        from('owner', (client, { at }) => client.get(`${at}/billable_members`), HIDDEN_GROUP),
      ),
    ),
  ],
)
