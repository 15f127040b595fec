import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { ProjectTemplate } from './template.ts'

/** A project template as the window offers it. */
export const BuiltInProjectTemplate = entity(
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
