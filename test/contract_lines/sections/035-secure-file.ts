import { expect } from 'vitest'

import { hasOnlyFields, section, line } from '../section.ts'

export const statements = section(
  'Secure file',
  async (w) => ({ at: `/projects/${(await w.make.project()).id}/secure_files` }),
  [
    line(
      'Fields: id, name, checksum, checksum_algorithm (e.g. `sha256`), created_at, expires_at (or null), metadata (null or object with id, issuer, subject, expires_at; issuer/subject carry certificate name parts).',
      'POST /projects/:id/secure_files → these fields',
      async ({ root, at }) => {
        const form = new FormData()
        form.set('name', 'key.jks')
        form.set('file', new Blob(['secret']), 'key.jks')
        const made = await root.post(at, form)
        expect(made.status).toBe(201)
        const { body } = await root.get(`${at}/${made.body.id}`)
        hasOnlyFields(
          { file_extension: null, ...body },
          {
            id: 'integer',
            name: 'string',
            checksum: 'string',
            checksum_algorithm: 'string',
            created_at: 'timestamp',
            expires_at: 'timestamp?',
            metadata: 'object?',
            file_extension: 'any',
          },
        )
        expect(body.checksum_algorithm).toBe('sha256')
      },
    ),
  ],
)
