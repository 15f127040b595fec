import { endpoint } from '../../../http/endpoint.ts'
import { page } from '../../../http/returns.ts'
import { TEMPLATES } from './catalogue.ts'
import { BuiltInProjectTemplate } from './entity.ts'

const rows = Object.entries(TEMPLATES).map(([name, template]) => ({ name, template }))

export const list = endpoint('GET /-/project_templates', {
  summary: 'List the built-in project templates',
  can: 'signed_in',
  returns: page(BuiltInProjectTemplate, { paging: 'none' }),
  run: () => ({ rows, total: rows.length }),
})
