import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/useAnswer.ts'
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
  useAnswer<{ html: string }>(
    () => {
      const given = source()
      if (!given) return null
      const { text, project, version, format } = given
      return {
        key: ['POST /markdown', project, format ?? '', version],
        load: (signal) =>
          format && format !== 'markdown'
            ? api('POST /-/markup', { text, format }, { signal })
            : api('POST /markdown', { text, gfm: true, ...(project ? { project } : {}) }, { signal }),
      }
    },
    { staleTime: Infinity },
  )
