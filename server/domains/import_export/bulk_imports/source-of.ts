import type { Ctx } from '../../../ctx.ts'
import { SourceInstance } from './source.ts'
import type { BulkImportRow } from './state.ts'

/** What the token of a run is sealed for. */
export const SEALED_FOR = 'bulk_imports.access_token'

/** The instance that a run takes over from; undefined once its token was dropped. */
export function sourceOf(ctx: Ctx, row: BulkImportRow, signal?: AbortSignal): SourceInstance | undefined {
  if (row.access_token === null) return undefined
  const token = ctx.secrets.open(row.access_token, SEALED_FOR).toString()
  return new SourceInstance(ctx, { url: row.source_url, token, signal })
}

/** The address of a group or project in the API of any instance. */
export function apiPathOf(entity: {
  readonly source_type: string
  readonly source_full_path: string
  readonly source_xid?: number | null
}): string {
  const kind = entity.source_type === 'group_entity' ? 'groups' : 'projects'
  return `/${kind}/${entity.source_xid ?? encodeURIComponent(entity.source_full_path)}`
}
