import type { Ctx } from '../../../ctx.ts'
import { CI_MARKER, FEATURES_VARIABLE, SERVICE_NAME } from '../../../http/aliases.ts'
import { plain, type Item } from './item.ts'

/**
 * What tells a script where it runs (spec ci 2.13). Left out is what the instance does not have: registries, the proxy of
 * images, pages and the query language. A name that leads nowhere would make scripts try.
 */
export function ofServer({ config }: Pick<Ctx, 'config'>): Item[] {
  const { host, hostname, port, protocol } = new URL(config.url)
  const [major = '', minor = '', patch = ''] = config.version.split('-')[0]!.split('.')
  return plain({
    CI: 'true',
    [CI_MARKER]: 'true',
    CI_SERVER_FQDN: host,
    CI_SERVER_URL: config.url,
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol.replace(':', ''),
    CI_SERVER_SHELL_SSH_HOST: config.sshPort === undefined ? undefined : hostname,
    CI_SERVER_SHELL_SSH_PORT: config.sshPort,
    CI_SERVER_NAME: SERVICE_NAME,
    CI_SERVER_VERSION: config.version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: config.revision,
    CI_API_V4_URL: `${config.url}/api/v4`,
    [FEATURES_VARIABLE]: '',
  })
}
