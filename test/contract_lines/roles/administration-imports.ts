import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect } from 'vitest'

import { demoCode, demoResponses } from '../../api/importers/bitbucket_server/demo.ts'
import * as bitbucketStub from '../../api/importers/bitbucket_server/stub-host.ts'
import { demoCode as githubCode } from '../../api/importers/github/demo-repository.ts'
import { demoResponses as githubResponses } from '../../api/importers/github/demo-responses.ts'
import * as githubStub from '../../api/importers/github/stub-host.ts'
import { archiveOf, importForm } from '../../api/import_export/projects/archive-of.ts'
import { atEnd } from '../../support/at-end.ts'
import { eachFrom, from, HIDDEN_GROUP, HIDDEN_PROJECT, teamOn, within } from '../access.ts'
import { accessLine, line, section } from '../section.ts'

const NOT_HERE = [400, 'You are not allowed to import projects in this namespace.'] as const
const refusedBy = (errors: string) => [422, { errors }] as const

/** A host that sends one archive. It stops after the test file. */
async function archiveHost(archive: Buffer): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(200, {
      'content-type': 'application/gzip',
      'content-length': archive.length,
      etag: '"v1"',
    })
    response.end(request.method === 'HEAD' ? undefined : archive)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tar.gz`
}

export const statements = section(
  'administration 6: Imports and exports',
  async (w, root) => {
    await root.put('/application/settings', {
      allow_local_requests_from_web_hooks_and_services: true,
      bulk_import_enabled: true,
      project_import_limit: 0,
      project_export_limit: 0,
      group_import_limit: 0,
      group_export_limit: 0,
      group_download_export_limit: 0,
    })
    const bitbucket = await bitbucketStub.stubHost()
    demoResponses(bitbucket, demoCode(bitbucket))
    const github = await githubStub.stubHost()
    githubResponses(github, githubCode(github))
    const group = await w.make.group()
    const archive = await archiveOf()
    const project = await w.make.project()
    await root.post(`/groups/${group.id}/export`)
    await w.drain()
    return {
      github,
      bitbucket,
      group,
      archive,
      address: await archiveHost(archive),
      team: await teamOn(w, 'groups', group),
      inProject: { at: `/projects/${project.id}`, team: await teamOn(w, 'projects', project) },
    }
  },
  [
    accessLine(
      '6.6 POST /projects/import into a group: the right to create projects in it',
      from(
        'developer',
        (client, { archive, group }, caller) =>
          client.post(
            '/projects/import',
            importForm(archive, { path: `file-${caller}`, namespace: group.full_path }),
          ),
        { stranger: [404, '404 Namespace Not Found'], member: NOT_HERE },
      ),
    ),
    accessLine(
      '6.6 POST /projects/remote-import into a group: the right to create projects in it',
      from(
        'developer',
        (client, { address, group }, caller) =>
          client.post('/projects/remote-import', {
            url: address,
            path: `remote-${caller}`,
            namespace: group.full_path,
          }),
        { stranger: [404, '404 Namespace Not Found'], member: NOT_HERE },
      ),
    ),
    accessLine(
      '6.9 POST /import/hostA: You are not allowed to import projects in this namespace.',
      from(
        'developer',
        (client, { github, group }, caller) =>
          client.post('/import/github', {
            personal_access_token: github.token,
            repo_id: 4711,
            target_namespace: group.full_path,
            new_name: `a-${caller}`,
            github_hostname: github.url,
          }),
        {
          stranger: refusedBy('Namespace or group to import repository into does not exist.'),
          member: refusedBy('You are not allowed to import projects in this namespace.'),
        },
      ),
    ),
    accessLine(
      "6.10 POST /import/hostB_server: 422 You don't have permissions to create this project",
      from(
        'developer',
        (client, { bitbucket, group }, caller) =>
          client.post('/import/bitbucket_server', {
            bitbucket_server_url: bitbucket.url,
            bitbucket_server_username: bitbucket.username,
            personal_access_token: bitbucket.token,
            bitbucket_server_project: 'TIDE',
            bitbucket_server_repo: 'watch',
            target_namespace: group.full_path,
            new_name: `b-${caller}`,
          }),
        {
          stranger: refusedBy("You don't have permissions to create this project"),
          member: refusedBy("You don't have permissions to create this project"),
        },
      ),
    ),
    line(
      '6.9 POST /import/hostA/cancel: 403 not owner',
      'POST by an owner of a project that was not imported → 400, by a maintainer → 403, by a stranger → 404, without a token → 401',
      async ({ inProject }) => {
        const project_id = Number(inProject.at.split('/').at(-1))
        const { anonymous, stranger, maintainer, owner } = inProject.team.clients
        const cancel = async (client: typeof owner) => {
          const { status, body } = await client.post('/import/github/cancel', { project_id })
          return [status, body.message]
        }
        expect(await cancel(anonymous)).toEqual([401, '401 Unauthorized'])
        expect(await cancel(stranger)).toEqual([404, '404 Project Not Found'])
        expect(await cancel(maintainer)).toEqual([403, 'Unauthorized access'])
        expect((await cancel(owner))[0]).toBe(400)
      },
    ),
    accessLine(
      '6.8 GET /groups/:id/export/download: Owner',
      from('owner', (client, { group }) => client.get(`/groups/${group.id}/export/download`), HIDDEN_GROUP),
    ),
    accessLine(
      '6.8 POST /groups/:id/export: Owner',
      from('owner', (client, { group }) => client.post(`/groups/${group.id}/export`)),
    ),
    accessLine(
      '6.7 /projects/:id/export_relations: Maintainer',
      within(
        'inProject',
        from('maintainer', (client, { at }) => client.post(`${at}/export_relations`)),
      ),
    ),
    accessLine(
      '6.7 GET /projects/:id/export_relations/status: Maintainer',
      within(
        'inProject',
        from('maintainer', (client, { at }) => client.get(`${at}/export_relations/status`), HIDDEN_PROJECT),
      ),
    ),
    accessLine(
      '6.7 /groups/:id/export_relations: Owner',
      eachFrom('owner', {
        'POST …/export_relations': (client, { group }) => client.post(`/groups/${group.id}/export_relations`),
      }),
    ),
    accessLine(
      '6.8 POST /groups/import below a group: the right to create subgroups in it',
      from(
        'maintainer',
        (client, { archive, group }, caller) => {
          const name = `sub-${caller}`
          return client.post(
            '/groups/import',
            importForm(archive, { name, path: name, parent_id: String(group.id) }),
          )
        },
        { stranger: [404, '404 Group Not Found'] },
      ),
    ),
  ],
)
