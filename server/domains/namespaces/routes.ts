import { endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { Namespace, PathCheck } from './entity.ts'
import { checkPath, getNamespace, listNamespaces } from './service.ts'

export const list = endpoint('GET /namespaces', {
  summary: 'List namespaces',
  can: 'signed_in',
  params: {
    search: text({ max: 255 }).optional().describe('Search in name and full path'),
    owned_only: bool().optional().describe('Limit to namespaces that the current user owns'),
    top_level_only: bool().optional().describe('Limit to top-level namespaces'),
  },
  pure: true,
  returns: page(Namespace),
  run: ({ params, paging, ...ctx }) => listNamespaces(ctx, params, paging),
})

export const get = endpoint('GET /namespaces/:id', {
  summary: 'Get a namespace',
  can: 'signed_in',
  params: { id: text().describe('The ID or full path of the namespace') },
  pure: true,
  returns: ok(Namespace),
  run: ({ params, ...ctx }) => getNamespace(ctx, params.id),
})

export const exists = endpoint('GET /namespaces/:namespace/exists', {
  summary: 'Check whether a namespace exists',
  can: 'signed_in',
  params: {
    namespace: text({ max: 255 }).describe('Path of the namespace'),
    parent_id: int()
      .optional()
      .describe('The ID of the parent group. By default the path is checked at the top level'),
  },
  pure: true,
  returns: ok(PathCheck),
  run: ({ params, ...ctx }) => checkPath(ctx, params.namespace, params.parent_id),
})
