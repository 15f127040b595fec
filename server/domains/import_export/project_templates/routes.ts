import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { page } from '../../../http/returns.ts'
import { TEMPLATES } from './catalogue.ts'
import type { ProjectTemplate } from './template.ts'

/** A built-in project template with its files. */
const BuiltInProjectTemplate = entity(
  'BuiltInProjectTemplate',
  {
    name: z.string(),
    title: z.string(),
    description: z.string(),
    files: z.array(z.object({ path: z.string(), content: z.string() })),
  },
  ({ name, template }: { readonly name: string; readonly template: ProjectTemplate }) => ({
    name,
    title: template.title,
    description: template.description,
    files: Object.entries(template.files).map(([path, content]) => ({ path, content })),
  }),
)

const rows = Object.entries(TEMPLATES).map(([name, template]) => ({ name, template }))

export const list = endpoint('GET /-/project_templates', {
  summary: 'List the built-in project templates',
  can: 'signed_in',
  returns: page(BuiltInProjectTemplate, { paging: 'none' }),
  run: () => ({ rows, total: rows.length }),
})
