import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, decimal, dictionary, int, list, text } from '../../../http/params.ts'
import { noContent, ok, created, page, raw } from '../../../http/returns.ts'
import { useWorkbench } from '../policy.ts'
import {
  InspectedComparison,
  InspectedRequest,
  InspectedRequestInFull,
  WorkbenchInspector,
} from './entity.ts'
import { HINT_FILTERS } from './reading/filter.ts'
import {
  changeState,
  clearRequests,
  compareRequests,
  exportRequests,
  findRequest,
  listRequests,
  readState,
} from './service.ts'
import { sendAgain } from './service-replay.ts'

const MAX_BODY = 1024 * 1024

const reference = text({ max: 64 }).describe(
  'The ID of the request, or the value of its header `X-Request-Id`',
)

const filters = {
  client: text({ max: 255 }).optional().describe('A client, a username, or a part of the user agent'),
  credential: choice(
    'none',
    'session',
    'personal_token',
    'bearer_token',
    'password',
    'job_token',
    'deploy_token',
    'deploy_key',
    'invalid',
  )
    .optional()
    .describe('Filter by the kind of credential'),
  method: text({ max: 10 }).optional().describe('Filter by the HTTP method'),
  path: text({ max: 1000 }).optional().describe('A part of the address or of the route'),
  status: text({ max: 3 }).optional().describe('A status, such as `404`, or a class of them, such as `4xx`'),
  slower_than: decimal().optional().describe('Minimum duration in milliseconds'),
  hint: choice(...HINT_FILTERS)
    .optional()
    .describe('Filter by a kind of hint; `any` for every hint'),
  after: int({ min: 0 }).optional().describe('Only requests with a higher ID'),
}

export const getInspector = endpoint('GET /-/workbench/inspector', {
  summary: 'Get the state of the inspector',
  can: useWorkbench,
  returns: ok(WorkbenchInspector),
  run: readState,
})

export const switchInspector = endpoint('PUT /-/workbench/inspector', {
  summary: 'Switch the inspector on or off',
  can: useWorkbench,
  params: {
    recording: bool().optional().describe('Record requests'),
    kept: bool().optional().describe('Also store them on disk, at most 32 MB'),
  },
  returns: ok(WorkbenchInspector),
  run: ({ params, ...ctx }) => changeState(ctx, params),
})

export const getRequests = endpoint('GET /-/workbench/inspector/requests', {
  summary: 'List recorded requests, newest first',
  can: useWorkbench,
  params: filters,
  returns: page(InspectedRequest),
  run: ({ params, paging, ...ctx }) => listRequests(ctx, params, paging),
})

export const getRequest = endpoint('GET /-/workbench/inspector/requests/:reference', {
  summary: 'Get a recorded request in full',
  can: useWorkbench,
  params: { reference },
  fails: { 404: 'The request does not exist' },
  returns: ok(InspectedRequestInFull),
  run: ({ params, ...ctx }) => findRequest(ctx, params.reference),
})

export const deleteRequests = endpoint('DELETE /-/workbench/inspector/requests', {
  summary: 'Delete all recorded requests',
  can: useWorkbench,
  returns: noContent,
  run: clearRequests,
})

export const sendRequestAgain = endpoint('POST /-/workbench/inspector/requests/:reference/replay', {
  summary: 'Send a recorded request again, as the caller',
  can: useWorkbench,
  params: {
    reference,
    method: choice('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')
      .optional()
      .describe('Method to use instead of the recorded one'),
    target: text({ max: 4000, notEmpty: true })
      .optional()
      .describe('Path and query of this instance to use instead'),
    headers: dictionary()
      .optional()
      .describe('Headers to add or replace; credentials are always those of the caller'),
    body: text({ max: MAX_BODY }).optional().describe('Body to send instead'),
  },
  maxBody: MAX_BODY * 2,
  fails: {
    400: 'The request has masked values, or its address does not belong to the instance',
    404: 'The request does not exist',
    503: 'The instance did not answer the request in time',
  },
  returns: created(InspectedRequestInFull),
  run: ({ params: { reference: id, ...edits }, http, ...ctx }) => sendAgain(ctx, id, edits, http),
})

export const exportHar = endpoint('GET /-/workbench/inspector/har', {
  summary: 'Export recorded requests as an HTTP Archive',
  can: useWorkbench,
  params: {
    ...filters,
    ids: list(int({ min: 1 }), { max: 500 })
      .optional()
      .describe('Only these requests'),
  },
  returns: raw,
  run: ({ params, ...ctx }) => ({
    type: 'application/json',
    body: exportRequests(ctx, params),
    headers: { 'Content-Disposition': 'attachment; filename="deskforge.har"' },
  }),
})

export const getComparison = endpoint('GET /-/workbench/inspector/comparison', {
  summary: 'Compare two recorded requests',
  can: useWorkbench,
  params: { left: reference, right: reference },
  fails: { 404: 'The request does not exist' },
  returns: ok(InspectedComparison),
  run: ({ params, ...ctx }) => compareRequests(ctx, params.left, params.right),
})
