import { expect } from 'vitest'

import { section, line } from '../section.ts'

export const statements = section(
  'Secure files (feature flag `ci_secure_files`, off by default on self-managed)',
  async (w, root) => {
    const at = `/projects/${(await w.make.project()).id}/secure_files`
    const add = (name: string, bytes = 'secret') => {
      const form = new FormData()
      form.set('name', name)
      form.set('file', new Blob([bytes]), name)
      return root.post(at, form)
    }
    return { at, add, made: (await add('one')).body }
  },
  [
    line(
      'GET `/projects/:project_id/secure_files` | | array of secure file',
      'GET → array (the feature is on here: docs/differences.md)',
      async ({ root, at }) => {
        expect((await root.get(at)).body.map((file: { name: string }) => file.name)).toContain('one')
      },
    ),
    line(
      'GET `/projects/:project_id/secure_files/:id` | | secure file',
      'GET …/:id → 200',
      async ({ root, at, made }) => {
        expect((await root.get(`${at}/${made.id}`)).body.name).toBe('one')
      },
    ),
    line(
      'POST `/projects/:project_id/secure_files` | multipart: `name` string required (unique within project); `file` required | secure file',
      'POST → 201; the same name or none → 400',
      async ({ root, at, add }) => {
        expect((await add('two')).status).toBe(201)
        expect((await add('two')).status).toBe(400)
        expect((await root.post(at, { name: 'three' })).status).toBe(400)
      },
    ),
    line(
      'GET `/projects/:project_id/secure_files/:id/download` | | file content',
      'GET …/:id/download → the content',
      async ({ root, at, made }) => {
        expect((await root.get(`${at}/${made.id}/download`)).text).toBe('secret')
      },
    ),
    line(
      'DELETE `/projects/:project_id/secure_files/:id` | | empty',
      'DELETE …/:id → 204, empty',
      async ({ root, at, add }) => {
        const { body } = await add('to-go')
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(204)
      },
    ),
  ],
)
