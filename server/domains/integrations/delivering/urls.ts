import { fullPath } from '../../projects/index.ts'
import type { Delivery } from './delivery.ts'

/** Page of the project, without a final slash. */
export function projectUrl({ ctx, project }: Pick<Delivery, 'ctx' | 'project'>): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** An address below another, however that one ends. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}

/** An address with parameters, those without a value left out; what it had before stays. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value)
  }
  return address.toString()
}
