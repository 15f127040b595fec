import { expect } from 'vitest'

import { hasFields, hasOnlyFields, section, line } from '../section.ts'

export const statements = section(
  'Wiki page (group wiki)',
  async (w) => ({ at: `/groups/${(await w.make.group()).id}/wikis` }),
  [
    line(
      'Fields: content, format (`markdown`, `rdoc`, `asciidoc`, `org`), slug, title, encoding (e.g. `UTF-8`).',
      'POST /groups/:id/wikis in each format → these fields',
      async ({ root, at }) => {
        for (const format of ['markdown', 'rdoc', 'asciidoc', 'org']) {
          const { body } = await root.post(at, { title: `Page ${format}`, content: 'Text', format })
          hasFields(body, {
            content: 'string',
            format: 'string',
            slug: 'string',
            title: 'string',
            encoding: 'string',
          })
          expect([body.format, body.encoding]).toEqual([format, 'UTF-8'])
        }
      },
    ),
    line(
      'Attachment upload result: file_name, file_path, branch, link `{url, markdown}`.',
      'POST /groups/:id/wikis/attachments → these fields',
      async ({ root, at }) => {
        const form = new FormData()
        form.set('file', new Blob(['x']), 'a.txt')
        const { body } = await root.post(`${at}/attachments`, form)
        hasOnlyFields(body, { file_name: 'string', file_path: 'string', branch: 'string', link: 'object' })
        hasOnlyFields(body.link, { url: 'string', markdown: 'string' })
      },
    ),
  ],
)
