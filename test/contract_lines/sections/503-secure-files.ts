import { expect } from 'vitest'

import { from, teamOn } from '../access.ts'
import { section, line } from '../section.ts'

export const statements = section(
  'Secure files (feature flag `ci_secure_files`, off by default on self-managed)',
  async (w, root) => {
    const project = await w.make.project()
    const at = `/projects/${project.id}/secure_files`
    const formOf = (name: string) => {
      const form = new FormData()
      form.set('name', name)
      form.set('file', new Blob(['secret']), name)
      return form
    }
    const add = (name: string) => root.post(at, formOf(name))
    return { at, add, formOf, made: (await add('one')).body, team: await teamOn(w, 'projects', project) }
  },
  [
    line(
      'GET `/projects/:project_id/secure_files` | | array of secure file',
      'GET → array (the feature is on here: docs/differences.md)',
      async ({ root, at }) => {
        expect((await root.get(at)).body.map((file: { name: string }) => file.name)).toContain('one')
      },
      from('developer', (client, { at }) => client.get(at)),
    ),
    line(
      'GET `/projects/:project_id/secure_files/:id` | | secure file',
      'GET …/:id → 200',
      async ({ root, at, made }) => {
        expect((await root.get(`${at}/${made.id}`)).body.name).toBe('one')
      },
      from('developer', (client, { at, made }) => client.get(`${at}/${made.id}`)),
    ),
    line(
      'POST `/projects/:project_id/secure_files` | multipart: `name` string required (unique within project); `file` required | secure file',
      'POST → 201; the same name or none → 400',
      async ({ root, at, add }) => {
        expect((await add('two')).status).toBe(201)
        expect((await add('two')).status).toBe(400)
        expect((await root.post(at, { name: 'three' })).status).toBe(400)
      },
      from('maintainer', (client, { at, formOf }, caller) => client.post(at, formOf(caller))),
    ),
    line(
      'GET `/projects/:project_id/secure_files/:id/download` | | file content',
      'GET …/:id/download → the content',
      async ({ root, at, made }) => {
        expect((await root.get(`${at}/${made.id}/download`)).text).toBe('secret')
      },
      from('developer', (client, { at, made }) => client.get(`${at}/${made.id}/download`)),
    ),
    line(
      'DELETE `/projects/:project_id/secure_files/:id` | | empty',
      'DELETE …/:id → 204, empty',
      async ({ root, at, add }) => {
        const { body } = await add('to-go')
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(204)
      },
      from('maintainer', async (client, { at, add }, caller) => {
        const { body } = await add(`of-${caller}`)
        return client.delete(`${at}/${body.id}`)
      }),
    ),
  ],
)
