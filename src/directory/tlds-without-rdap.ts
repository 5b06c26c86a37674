/**
 * TLDs of the root zone for which IANA lists no RDAP server: IANA's list of TLDs (2025-11-12) minus
 * its bootstrap document (2026-07-14).
 */
export const tldsWithoutRdap: readonly string[] = `
  ac ae af ag al am ao aq arpa at aw ax az ba bb bd be bf bg bh bi bj bn bo bs bt bv bw by bz cd cf cg ch ci ck cl cn co cu cw cy de
  dj dk dm do dz edu ee eg er es et eu fk ga gb ge gf gg gh gi gl gm gn goo gp gq gr gt gu gw hk hm hr hu ie il im io iq ir it je jm
  jo jp kh ki km kn kp kr kw kz la lc li lk lr ls lt lu lv ma mc md me mh mil mk mm mn mo mp mq mr mt mv mw mx my mz nc ne ni np nr
  nu nz om pa pe pf ph pk pr ps pt py qa ro rs ru sa sb sc se sh sj sk sl sm so st su sv sx sy sz tc td tg tj tk tl tm tn tr tt ug
  us uy va vc ve vn vu wolterskluwer ws xn--2scrj9c xn--3e0b707e xn--3hcrj9c xn--45br5cyl xn--45brj9c xn--4dbrk0ce xn--54b7fta0cc
  xn--80ao21a xn--90a3ac xn--90ae xn--90ais xn--d1alf xn--e1a4c xn--fiqs8s xn--fiqz9s xn--fpcrj9c3d xn--fzc2c9e2c xn--gecrj9c
  xn--h2breg3eve xn--h2brj9c xn--h2brj9c8c xn--j1amh xn--j6w193g xn--kprw13d xn--l1acc xn--lgbbat1ad8j xn--mgb9awbf xn--mgba3a4f16a
  xn--mgbaam7a8h xn--mgbah1a3hjkrd xn--mgbai9azgqp6j xn--mgbayh7gpa xn--mgbbh1a xn--mgbbh1a71e xn--mgbc0a9azcg xn--mgbcpq6gpa1a
  xn--mgberp4a5d4ar xn--mgbgu82a xn--mgbpl2fh xn--mgbtx2b xn--mgbx4cd0ab xn--mix891f xn--node xn--ogbpf8fl xn--p1ai xn--pgbs0dh
  xn--q7ce6a xn--qxa6a xn--qxam xn--rvc1e0am3e xn--s9brj9c xn--wgbh1c xn--wgbl6a xn--xkc2al3hye2a xn--xkc2dl3a5ee0h xn--y9a3aq
  xn--ygbi2ammx za zw
`
  .trim()
  .split(/\s+/);
