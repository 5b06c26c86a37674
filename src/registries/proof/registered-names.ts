import { parseDomainName, type DomainName } from '../../domain/domain-name.ts';

/**
 * Names in TLDs for which IANA lists no RDAP server, for each TLD the most certain one first. They
 * are registered according to WHOIS answers of 2015 to 2026, or are in lists of visited sites.
 * `nic.cn` and `nic.kr` are absent, because they are reserved.
 */
const names = `
  google.ac nic.ac google.ae amazon.ae nic.af rohi.af google.ag nic.ag google.al trib.al google.am nic.am unitel.ao bancobai.ao
  soos.aq acap.aq ip6.arpa google.at samsung.at amazon.aw pick.aw nic.ax vibb.ax google.az yandex.az google.ba klix.ba nic.bb
  bmw.bb google.com.bd daraz.com.bd google.be register.be nic.bf google.bf google.bg orbitel.bg nic.bh rain.bh google.bi nic.bi
  google.bj nic.bj google.com.bn nic.bn nic.bo umsa.bo google.bs zero.bs google.bt ubuy.bt mmegi.bw google.co.bw nic.by
  yandex.by aviso.bz sprocket.bz google.cd africell.cd google.cf nuaa.cf google.cg mtn.cg google.ch nic.ch google.ci nic.ci
  www.ck google.co.ck google.cl nic.cl google.cn cnnic.cn sina.com.cn nic.co t.co cult.cu icrt.cu mphc.cw dcsx.cw google.com.cy canon.com.cy
  google.de nic.de google.dj djibtelecom.dj google.dk dk-hostmaster.dk google.dm nic.dm nic.do any.do google.dz nic.dz mit.edu
  nyu.edu internet.ee eestiinternet.ee amazon.eg adib.eg tse.com.er eritel.com.er google.es nic.es mjobs.et box.et eurid.eu
  google.eu jobs.gov.fk sure.co.fk google.ga cnss.ga google.ge nic.ge nic.gf google.gf op.gg oddin.gg nic.gh google.com.gh
  nic.gi savills.gi google.gl nic.gl nic.gm google.gm nic.gn arpt.gov.gn nic.goo nic.gp google.gp dominio.gq quizlet.gq
  google.gr hmu.gr walmart.com.gt eticket.gt grmc.gu newgen.gu nic.gw amazon.gw google.hk hkirc.hk google.hm registry.hm dns.hr
  google.hr google.hu nic.hu google.ie rte.ie google.co.il isoc.org.il google.im registry.im google.io nic.io google.iq rev.iq
  google.ir nic.ir google.it nic.it google.je jerseyfinance.je google.com.jm visa.com.jm google.jo ikea.jo google.jp jprs.jp yahoo.co.jp
  google.com.kh sabay.com.kh nic.ki google.ki cmmc.km telco.km nic.kn amazon.kn kcna.kp sca.kp google.kr naver.kr google.co.kr nic.kw
  google.com.kw google.kz tabu.kz google.la 51.la nic.lc ctrl.lc nic.li google.li nic.lk google.lk orange.com.lr lra.gov.lr
  nic.ls google.co.ls google.lt domreg.lt arbed.lu dns.lu google.lv nic.lv oncf.ma avito.ma nic.mc smeg.mc google.md dns.md
  google.me nic.me nta.mh minta.mh army.mil navy.mil nic.mk google.mk google.com.mm ooredoo.com.mm google.mn nic.mn umac.mo
  tdm.com.mo nic.mp mailchi.mp bmw.mq visa.mq nic.mr ceni.mr tvmnews.mt maltatoday.com.mt google.mv egov.mv nic.mw google.mw
  google.mx nic.mx google.com.mx google.my nic.my maybank.com.my nic.mz uem.mz mrcc.nc shop.nc google.ne amazon.ne google.com.ni walmart.com.ni google.com.np
  esewa.com.np google.nr amazon.nr google.nu tv.nu internetnz.nz google.co.nz yahoo.co.nz google.com.om omantel.om nic.pa google.com.pa
  google.pe shop.pe aidt.pf tntv.pf shopee.ph google.com.ph google.pk pknic.pk google.pr nic.pr google.ps mada.ps google.pt
  dns.pt una.py google.com.py ooredoo.qa google.com.qa google.ro rotld.ro google.rs kondor.rs google.ru tcinet.ru
  saudigazette.com.sa zoho.sa nic.sb dns.sb google.sc nic.sc google.se loopia.se google.sh nic.sh google.sk sk-nic.sk google.sl
  nic.sl google.sm puri.sm nic.so google.so google.st nic.st google.su nic.su google.com.sv simple.sv nic.sx domain.sx tld.sy
  egov.sy uniswa.sz mtn.co.sz google.tc grab.tc nic.td google.td nic.tg google.tg yandex.tj your.tj google.tk fovi.tk nic.tl
  google.tl google.tm yandex.tm google.tn jomaa.tn google.com.tr trt.net.tr nic.tt google.tt google.co.ug nic.ug google.us
  zoom.us nic.uy google.com.uy vatican.va vaticannews.va google.vc nic.vc ula.ve zumba.com.ve zing.vn voz.vn google.vu
  dailypost.vu nic.wolterskluwer google.ws cacs.ws xn--4scekqbpyn4fbh2dwe.xn--2scrj9c google.xn--3e0b707e xn--299a.xn--3e0b707e
  xn--3hcazbnc8gd.xn--3hcrj9c xn--3hcaa7abbrcc7kdd.xn--3hcrj9c xn--45baa71a.xn--45br5cyl xn--84b2eds0ge.xn--45brj9c
  xn--4dbdbidz7h.xn--4dbrk0ce xn--4dbichlrb3i.xn--4dbrk0ce xn--d5by7bap7cc3ici3m.xn--54b7fta0cc nic.xn--80ao21a
  xn--e1anb.xn--80ao21a xn--80awj.xn--90ae xn--e1aybc.xn--90ae xn--g1ajs.xn--90ais xn--80ashg.xn--90ais xn--d1alf.xn--d1alf
  xn--d1ag.xn--e1a4c xn--e1amjalj.xn--e1a4c qyhs.xn--fiqs8s ltzh.xn--fiqs8s xn--kech.xn--gecrj9c xn--3dcus.xn--gecrj9c
  xn--1-ovd1ak6e.xn--h2breg3eve xn--61b2aeb.xn--h2brj9c xn--31b4cf1dub.xn--h2brj9c xn--p1bx5a9ak7ad6dd7c1irafdb.xn--h2brj9c8c
  xn--i1b1ba3a8cbbctc9aza2hd3hekf9s4ag.xn--h2brj9c8c xn--l1ad.xn--j1amh xn--m1al.xn--j1amh xn--p5tu34j.xn--j6w193g
  xn--80ayflsc.xn--l1acc xn--ugb4c.xn--mgbaam7a8h xn----ymcerm2jld2c.xn--mgbaam7a8h nic.xn--node google.xn--node
  xn--j1ay.xn--p1ai xn--80awro.xn--p1ai google.xn--qxam xn--qxam.xn--qxam xn--69aa8bzb.xn--y9a3aq xn--y9aga4a5f.xn--y9a3aq
  google.co.za fnb.co.za google.co.zw tact.co.zw
`
  .trim()
  .split(/\s+/);

const namesByTld = Map.groupBy(names, (name) => name.slice(name.lastIndexOf('.') + 1));

/** Returns names under a suffix that are very probably registered. */
export function registeredNames(suffix: string): readonly DomainName[] {
  const tld = suffix.slice(suffix.lastIndexOf('.') + 1);
  const found = namesByTld.get(tld) ?? [];
  return found.filter((name) => name.endsWith(`.${suffix}`)).map(parseDomainName);
}
