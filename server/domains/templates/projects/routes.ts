import { endpoint } from '../../../http/endpoint.ts'
import { page } from '../../../http/returns.ts'
import { TEMPLATES } from './catalogue.ts'
import { BuiltInProjectTemplate } from './entity.ts'

const rows = Object.entries(TEMPLATES).map(([name, template]) => ({ name, template }))

export const list = endpoint('GET /-/project_templates', {
  summary: 'List what new projects can begin with (`template_name` of POST /projects), with their files',
  can: 'signed_in',
  returns: page(BuiltInProjectTemplate, { paging: 'none' }),
  run: () => ({ rows, total: rows.length }),
})
