import type { Params } from '../../../api/client.ts'

type TemplateType = Params<'GET /projects/:id/templates/:type'>['type']

/** Which texts a new file of this name can begin with; null for most files. */
export const templateOf = (path: string, ciPath: string): TemplateType | null => {
  const name = path.split('/').at(-1) ?? ''
  if (path === ciPath || /^\.gitlab-ci\.ya?ml$/.test(name)) return 'gitlab_ci_ymls'
  if (name === '.gitignore') return 'gitignores'
  if (/^(dockerfile|containerfile)(\..+)?$|\.dockerfile$/i.test(name)) return 'dockerfiles'
  if (/^(licen[cs]e|copying)(\.(md|txt))?$/i.test(name)) return 'licenses'
  return null
}
