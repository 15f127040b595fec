import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import type { Exchange } from '../../../http/endpoint.ts'
import { entity, type Presentation } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import type { Run } from '../../import_export/index.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'

const fields = { id: z.int(), name: z.string(), full_path: z.string(), full_name: z.string() }

const viewOf = (project: Project) => ({
  id: project.id,
  name: project.name,
  full_path: `/${fullPath(project)}`,
  full_name: `${project.namespace_full_name} / ${project.name}`,
})

/** A project that is being imported from another host (spec administration 6.9). */
export const HostImportedProject = entity('HostImportedProject', fields, (project: Project) =>
  viewOf(project),
)

/** A project with its canceled import. */
export interface CanceledImport {
  readonly project: Project
  readonly run: Run | undefined
}

export const HostImportCanceled = entity(
  'HostImportCanceled',
  {
    ...fields,
    import_source: z.string().nullable(),
    import_status: z.string(),
    human_import_status_name: z.string(),
    provider_link: z.string().nullable(),
  },
  ({ project, run }: CanceledImport, _at: Presentation) => ({
    ...viewOf(project),
    import_source: run?.import_source ?? null,
    import_status: project.import_status,
    human_import_status_name: project.import_status,
    provider_link: run?.provider_link ?? null,
  }),
)

/** The parts that all endpoints which import a repository share. */
export const importEndpoint = {
  /** How many imports a user may start in a minute (setting project_import_limit). */
  limit: {
    max: 6,
    per: 60,
    together: 'host_import',
    maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
  },
  params: {
    new_name: text({ max: 255 })
      .optional()
      .describe('The name of the project. Default is the name of the repository'),
    timeout_strategy: text({ max: 32 })
      .optional()
      .describe('Has no effect: a timeout is recorded as a separate failure'),
  },
  fails: {
    400: 'The address is invalid or may not be reached: `{"errors": "Invalid URL: …"}`',
    403: 'The setting import_sources does not allow this host',
    422: 'The import is impossible: `{"errors": "…"}`',
    429: 'The rate limit of the other host is reached, or the user has started too many imports',
  },
}

/** The parts that all endpoints which list repositories to import share. */
export const listEndpoint = {
  limit: { max: 60, per: 60 },
  params: {
    search: text({ max: 200 }).optional().describe('Part of the name of the repositories'),
    page: int({ min: 1, max: 10000 })
      .optional()
      .describe(
        'The page number. A page has 50 repositories; the header `X-Next-Page` has the number of the next page',
      ),
  },
  fails: {
    400: 'The address is invalid or may not be reached',
    403: 'The setting import_sources does not allow this host',
    422: 'The list is not available: `{"errors": "…"}`',
    429: 'The rate limit of the other host is reached',
  },
}

/** Answers with a page of repositories. The request is a POST because it has a secret, but it creates nothing. */
export function sendPage<Row>(
  http: Exchange,
  { rows, next_page }: { readonly rows: Row[]; readonly next_page: number | null },
) {
  http.status(200)
  http.set('x-next-page', next_page === null ? '' : String(next_page))
  return { rows, total: rows.length }
}

type PlainName<Name> = Name extends `host${'A' | 'B_server'}_${infer Plain}` ? Plain : Name

/**
 * Removes the prefixes of parameters. In the contract, parameters of one host have a neutral prefix instead of its
 * name.
 */
export function plainNames<Params extends object>(
  params: Params,
): { [Name in keyof Params as PlainName<Name>]: Params[Name] } {
  const entries = Object.entries(params).map(([name, value]: [string, unknown]) => [
    name.replace(/^host(?:A|B_server)_/, ''),
    value,
  ])
  return Object.fromEntries(entries)
}
