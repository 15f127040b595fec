import { useQuery } from '@pinia/colada'
import { api, type ApiError } from '../../api/client.ts'
import type { TextFormat } from './text-format.ts'

export type MarkdownSource = {
  text: string
  /** Full path of the project that `#1` and `@name` belong to; empty for texts of the instance. */
  project: string
  /** Changes with the text, so that the text itself need not be compared: a blob id. */
  version: string
  /** Its markup language, if not Markdown. */
  format?: TextFormat | null
}

/** Text rendered and sanitised by the server. */
export const useMarkdown = (source: () => MarkdownSource | null) =>
  useQuery<{ html: string }, ApiError>({
    key: () => ['POST /markdown', source()?.project ?? '', source()?.format ?? '', source()?.version ?? ''],
    query: ({ signal }) => {
      const { text, project, format } = source() ?? { text: '', project: '' }
      if (format && format !== 'markdown') return api('POST /-/markup', { text, format }, { signal })
      return api('POST /markdown', { text, gfm: true, ...(project ? { project } : {}) }, { signal })
    },
    enabled: () => source() !== null,
    staleTime: Infinity,
  })
