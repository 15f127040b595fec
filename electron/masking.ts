/** Masks tokens and passwords in a report, and replaces the path of the home folder by `~`. */
export function withoutSecrets(report: string, home: string): string {
  return report
    .replaceAll(/\bgl[a-z]{1,6}-[\w.-]{8,}/g, '[masked]')
    .replaceAll(/\b(ey[\w-]{8,}\.[\w-]+\.[\w-]+|gh[pousr]_\w{16,}|github_pat_\w+)/g, '[masked]')
    .replaceAll(/(:\/\/)[^/\s:@"]+:[^/\s@"]*@/g, '$1[masked]@')
    .replaceAll(
      /([?&](?:private_token|access_token|job_token|rss_token|token|password)=)[^&\s"]+/gi,
      '$1[masked]',
    )
    .replaceAll(
      /((?:private-token|job-token|authorization)"?\s*[:=]\s*"?(?:bearer\s+|basic\s+)?)[^\s",}]+/gi,
      '$1[masked]',
    )
    .replaceAll(home, '~')
}
