import {
  eachFrom,
  FORBIDDEN,
  from,
  HIDDEN_PROJECT,
  teamOn,
  within,
  type Access,
  type Caller,
} from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'
import { expect } from 'vitest'

const NO_PUSH = [403, '403 Forbidden - You are not allowed to push into this branch'] as const
const NOT_INTO_BRANCH = [400, 'You are not allowed to push into this branch'] as const

const PROTECTED_TAG = [403, 'You are not allowed to create this tag as it is protected.'] as const

/** All reads of the code, of branches, tags and commits. */
const reads = (least: Caller, refusals: object): Access =>
  eachFrom(
    least,
    Object.fromEntries(
      [
        'tree',
        'blobs/:blob',
        'blobs/:blob/raw',
        'archive',
        'archive.zip',
        'compare?from=:sha&to=main',
        'contributors',
        'merge_base?refs[]=main&refs[]=work',
        'changelog?version=1.0.0&from=:sha&to=main',
        'files/README.md?ref=main',
        'files/README.md/raw',
        'files/README.md/blame?ref=main',
        'branches',
        'branches/main',
        'tags',
        'tags/v1',
        'commits',
        'commits/:sha',
        'commits/:sha/diff',
        'commits/:sha/refs',
        'commits/:sha/comments',
        'commits/:sha/discussions',
        'commits/:sha/statuses',
      ].map((path) => [
        path,
        (client, { at, blob, sha }) =>
          client.get(`${at}/repository/${path.replace(':blob', blob).replaceAll(':sha', sha)}`),
      ]),
    ),
    refusals,
  )

const create = (branch: string, file_path: string, more: object = {}): object => ({
  branch,
  commit_message: 'c',
  actions: [{ action: 'create', file_path, content: 'x' }],
  ...more,
})

/** Commits to a branch on which the protection has an access level, by all callers. */
const commitTo = (branch: string, least: Caller): Access =>
  from(
    least,
    (client, { at }, caller) =>
      client.post(`${at}/repository/commits`, create(branch, `${branch}-${caller}`)),
    { member: NO_PUSH },
  )

/** Creates tags that a protection with an access level covers, by all callers. */
const tagAs = (prefix: string, least: Caller, refusals: object): Access =>
  from(
    least,
    (client, { at }, caller) =>
      client.post(`${at}/repository/tags`, { tag_name: `${prefix}-${caller}`, ref: 'main' }),
    refusals,
  )

/** A new branch for a request that deletes it. */
async function newBranch({ root, at }: CheckArgs, caller: Caller): Promise<string> {
  await root.post(`${at}/repository/branches`, { branch: `gone-${caller}`, ref: 'main' })
  return `${at}/repository/branches/gone-${caller}`
}

export const statements = section(
  'core 4: Repository',
  async (w, root) => {
    const prepared = async (visibility: string, more: object = {}) => {
      const project = await w.make.project({ visibility, with: 'readme' })
      const at = `/projects/${project.id}`
      const repository = `${at}/repository`
      const { body: first } = await root.get(`${repository}/commits/main`)
      await root.post(`${repository}/commits`, create('work', 'w', { start_branch: 'main' }))
      await root.post(`${repository}/commits`, create('main', 'second'))
      const { body: head } = await root.get(`${repository}/commits/main`)
      await root.post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' })
      const { body: tree } = await root.get(`${repository}/tree`)
      if (Object.keys(more).length > 0) await root.put(at, more)
      return {
        at,
        sha: first.id,
        head: head.id,
        blob: tree[0].id,
        team: await teamOn(w, 'projects', project),
      }
    }
    const made = await prepared('private')
    for (const [name, push_access_level] of [
      ['nobody', 0],
      ['developers', 30],
      ['maintainers', 40],
      ['administrators', 60],
    ] as const) {
      await root.post(`${made.at}/repository/branches`, { branch: name, ref: 'main' })
      await root.post(`${made.at}/protected_branches`, { name, push_access_level })
      await root.post(`${made.at}/protected_tags`, {
        name: `${name}-*`,
        create_access_level: push_access_level,
      })
    }
    return {
      ...made,
      open: await prepared('public'),
      closed: await prepared('public', { repository_access_level: 'private' }),
    }
  },
  [
    accessLine('4 public projects need no sign-in for GET', within('open', reads('anonymous', {}))),
    accessLine('4 missing read-code right: 404 for an invisible project', reads('reporter', HIDDEN_PROJECT)),
    accessLine(
      '4 missing read-code right: 403 when signed in on a visible project',
      within('closed', reads('reporter', {})),
    ),
    accessLine(
      '4.1 POST /changelog: 403 no push right',
      from('developer', (client, { at, sha }, caller) =>
        client.post(`${at}/repository/changelog`, {
          version: '1.0.0',
          from: sha,
          to: 'main',
          branch: 'work',
          file: `${caller}.md`,
        }),
      ),
    ),
    accessLine(
      '4.2 POST, PUT, DELETE /files/:file_path: 403',
      eachFrom('developer', {
        'POST …/files/:file_path': (client, { at }, caller) =>
          client.post(`${at}/repository/files/post-${caller}`, {
            branch: 'work',
            content: 'x',
            commit_message: 'c',
          }),
        'PUT …/files/:file_path': (client, { at }, content) =>
          client.put(`${at}/repository/files/w`, { branch: 'work', content, commit_message: 'c' }),
        'DELETE …/files/:file_path': async (client, { root, at }, caller) => {
          await root.post(`${at}/repository/commits`, create('work', `delete-${caller}`))
          return client.delete(`${at}/repository/files/delete-${caller}`, {
            branch: 'work',
            commit_message: 'c',
          })
        },
      }),
    ),
    accessLine(
      '4.2 "You are not allowed to push into this branch": 400 for a file in a protected branch',
      from(
        'maintainer',
        (client, { at }, caller) =>
          client.post(`${at}/repository/files/main-${caller}`, {
            branch: 'main',
            content: 'x',
            commit_message: 'c',
          }),
        { developer: NOT_INTO_BRANCH },
      ),
    ),
    accessLine(
      '4.3 POST /branches: 403; DELETE /branches/:branch, /merged_branches: D+',
      eachFrom('developer', {
        'POST …/branches': (client, { at }, caller) =>
          client.post(`${at}/repository/branches`, { branch: `new-${caller}`, ref: 'main' }),
        'DELETE …/branches/:branch': async (client, args, caller) =>
          client.delete(await newBranch(args, caller)),
        'DELETE …/merged_branches': (client, { at }) => client.delete(`${at}/repository/merged_branches`),
      }),
    ),
    accessLine(
      '4.4 GET /protected_branches, /protected_tags: any member with code access',
      eachFrom(
        'reporter',
        {
          'GET …/protected_branches': (client, { at }) => client.get(`${at}/protected_branches`),
          'GET …/protected_branches/:name': (client, { at }) => client.get(`${at}/protected_branches/main`),
          'GET …/protected_tags': (client, { at }) => client.get(`${at}/protected_tags`),
          'GET …/protected_tags/:name': (client, { at }) => client.get(`${at}/protected_tags/nobody-*`),
        },
        HIDDEN_PROJECT,
      ),
    ),
    accessLine(
      '4.4 GET /protected_branches of a public project: 401, 403',
      within(
        'open',
        from('reporter', (client, { at }) => client.get(`${at}/protected_branches`)),
      ),
    ),
    accessLine(
      '4.4 POST, PATCH, DELETE /protected_branches and POST, DELETE /protected_tags: M+',
      eachFrom('maintainer', {
        'POST …/protected_branches': (client, { at }, name) =>
          client.post(`${at}/protected_branches`, { name }),
        'PATCH …/protected_branches/:name': (client, { at }) =>
          client.patch(`${at}/protected_branches/developers`, { allow_force_push: false }),
        'DELETE …/protected_branches/:name': async (client, { root, at }, caller) => {
          await root.post(`${at}/protected_branches`, { name: `b-${caller}` })
          return client.delete(`${at}/protected_branches/b-${caller}`)
        },
        'POST …/protected_tags': (client, { at }, name) => client.post(`${at}/protected_tags`, { name }),
        'DELETE …/protected_tags/:name': async (client, { root, at }, caller) => {
          await root.post(`${at}/protected_tags`, { name: `t-${caller}` })
          return client.delete(`${at}/protected_tags/t-${caller}`)
        },
      }),
    ),
    accessLine('4.4 push_access_level 30: Developers + Maintainers', commitTo('developers', 'developer')),
    accessLine('4.4 push_access_level 40: Maintainers', commitTo('maintainers', 'maintainer')),
    accessLine('4.4 push_access_level 60: Administrators', commitTo('administrators', 'administrator')),
    line(
      '4.4 push_access_level 0: No one',
      'POST …/repository/commits by an owner and an administrator → 403',
      async ({ at, team }) => {
        for (const caller of ['owner', 'administrator']) {
          const answer = await team.clients[caller].post(`${at}/repository/commits`, create('nobody', caller))
          expect([answer.status, answer.body.message]).toEqual(NO_PUSH)
        }
      },
    ),
    accessLine('4.4 create_access_level 30', tagAs('developers', 'developer', {})),
    accessLine(
      '4.4 create_access_level 40',
      tagAs('maintainers', 'maintainer', { developer: PROTECTED_TAG }),
    ),
    accessLine(
      '4.4 create_access_level 60',
      tagAs('administrators', 'administrator', {
        developer: PROTECTED_TAG,
        maintainer: PROTECTED_TAG,
        owner: PROTECTED_TAG,
      }),
    ),
    accessLine(
      '4.5 POST and DELETE /tags: 403',
      eachFrom('developer', {
        'POST …/tags': (client, { at }, tag_name) =>
          client.post(`${at}/repository/tags`, { tag_name, ref: 'main' }),
        'DELETE …/tags/:tag_name': async (client, { root, at }, caller) => {
          await root.post(`${at}/repository/tags`, { tag_name: `gone-${caller}`, ref: 'main' })
          return client.delete(`${at}/repository/tags/gone-${caller}`)
        },
      }),
    ),
    accessLine(
      '4.6 POST /commits: 403 You are not allowed to push into this branch',
      commitTo('work', 'developer'),
    ),
    accessLine(
      '4.6 POST /commits/:sha/cherry_pick, /revert: 403',
      eachFrom(
        'developer',
        {
          'POST …/cherry_pick': async (client, args, caller) => {
            const { root, at, sha, head } = args
            await root.post(`${at}/repository/branches`, { branch: `pick-${caller}`, ref: sha })
            return client.post(`${at}/repository/commits/${head}/cherry_pick`, { branch: `pick-${caller}` })
          },
          'POST …/revert': async (client, { root, at, head }, caller) => {
            await root.post(`${at}/repository/branches`, { branch: `revert-${caller}`, ref: head })
            return client.post(`${at}/repository/commits/${head}/revert`, { branch: `revert-${caller}` })
          },
        },
        { member: NO_PUSH },
      ),
    ),
    accessLine(
      '4.6 POST /projects/:id/statuses/:sha: 403',
      from('developer', (client, { at, sha }, name) =>
        client.post(`${at}/statuses/${sha}`, { state: 'success', ref: 'work', name }),
      ),
    ),
    accessLine(
      '4.6 POST /commits/:sha/comments',
      from(
        'reporter',
        (client, { at, sha }) => client.post(`${at}/repository/commits/${sha}/comments`, { note: 'n' }),
        {
          member: FORBIDDEN,
        },
      ),
    ),
  ],
)
