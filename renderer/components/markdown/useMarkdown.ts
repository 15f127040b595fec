import { useQuery } from '@pinia/colada'
import { api, type ApiError } from '../../api/client.ts'

export type MarkdownSource = {
  text: string
  /** Full path of the project that `#1` and `@name` belong to. */
  project: string
  /** Changes with the text, so that the text itself need not be compared: a blob id. */
  version: string
}

/** Text rendered and sanitised by the server. */
export const useMarkdown = (source: () => MarkdownSource | null) =>
  useQuery<{ html: string }, ApiError>({
    key: () => ['POST /markdown', source()?.project ?? '', source()?.version ?? ''],
    query: ({ signal }) => {
      const { text, project } = source() ?? { text: '', project: '' }
      return api('POST /markdown', { text, gfm: true, project }, { signal })
    },
    enabled: () => source() !== null,
    staleTime: Infinity,
  })
