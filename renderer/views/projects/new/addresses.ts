import { api } from '../../../api/client.ts'
import { nameOfArchive } from './archive-name.ts'

/** The target of a URL. */
export type Kind = 'git' | 'archive' | 'storage'

type Source = {
  url: string
  user: string
  password: string
  region: string
  bucket_name: string
  file_key: string
  access_key_id: string
  secret_access_key: string
}
type Target = { name: string; path: string; namespace_id: number; namespace: string }

/** The address of a repository with its credentials, as the API takes them. */
export const withCredentials = (url: string, user: string, password: string): string => {
  if (!user && !password) return url
  if (!URL.canParse(url)) return url
  const address = new URL(url)
  // A token alone needs some name before it.
  address.username = encodeURIComponent(user || 'token')
  address.password = encodeURIComponent(password)
  return address.href
}

/** The last part of an address, without what such names end with. */
export const nameOfAddress = (address: string, namespacePath: string): string => {
  const last = (address.split(/[?#]/)[0] ?? '').replace(/\/+$/, '').split('/').at(-1) ?? ''
  if (/^[a-z]+:$/.test(last) || !address.includes('/'))
    return /\.(tar\.gz|tgz)$/.test(last) ? nameOfArchive(last, namespacePath) : ''
  let name = last.replace(/\.git$/, '')
  try {
    name = decodeURIComponent(name)
  } catch {
    // A stray percent sign: as it is.
  }
  return nameOfArchive(name, namespacePath)
}

/** Starts the import and returns the full path of the project. */
export const beginAt = async (kind: Kind, from: Source, target: Target): Promise<string> => {
  const { name, path, namespace, namespace_id } = target
  if (kind === 'git') {
    const import_url = withCredentials(from.url, from.user, from.password)
    return (await api('POST /projects', { name, path, namespace_id, import_url })).path_with_namespace
  }
  const project = { name, path, namespace }
  if (kind === 'archive')
    return (await api('POST /projects/remote-import', { ...project, url: from.url })).path_with_namespace
  const { region, bucket_name, file_key, access_key_id, secret_access_key } = from
  const source = { region, bucket_name, file_key, access_key_id, secret_access_key }
  return (await api('POST /projects/remote-import-s3', { ...project, ...source })).path_with_namespace
}
