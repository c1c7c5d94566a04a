"""Storage throughput: all clients write and read at the same time, without errors and at the required rate."""

from rackproof.measure.traffic import storage_load
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.storage_load import LoadResult
from validation.expected.fixtures import Fabric, Judge, applies_to, live, requirements
from validation.expected.traffic import has_storage_clients, planned_mounts

pytestmark = live

SLOW = "look at the transport of the mounts, at jumbo frames on the way, and at the load of the storage nodes"
MACHINE = "the storage of a lab is one machine beside the clients: the rate is that of the machine"


def work(fabric: Fabric, campaign: Campaign, judge: Judge) -> dict[str, LoadResult]:
    """Return server and path to what was written and read there; what is not known is kept."""
    clients = {
        name: [mount.path for mount in own]
        for name, own in planned_mounts(fabric).items()
        if name in campaign.site.servers
    }
    rehearsal = campaign.site.rehearsal
    asked = {
        name: {path: storage_load.write_read_command(path, rehearsal=rehearsal) for path in paths}
        for name, paths in clients.items()
    }
    played = campaign.run_commands("storage", asked, storage_load.LIMIT_S)
    done: dict[str, LoadResult] = {}
    for name, paths in clients.items():
        for path in paths:
            said = storage_load.load_result(played[name], path)
            if isinstance(said, str):
                judge.error(f"{name}:{path}", f"writing there: {said}", f"`ls {path}` on {name} says why")
            else:
                done[f"{name}:{path}"] = said
    if not clients:
        judge.skip(fabric.name, "no client of the storage is reachable")
    return done


@applies_to(has_storage_clients)
def test_data_comes_back_as_written(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Every client reads back from the storage the data that it wrote."""
    for subject, one in work(fabric, campaign, judge).items():
        actual = "the same" if one.same else "something else"
        remedy = "take the file system out of use, and read the logs of the storage and of the adapters"
        judge.expect_equal(subject, expected="the same", actual=actual, remedy=remedy, values={"bytes": str(one.bytes)})


@applies_to(has_storage_clients)
@requirements("HSS02")
def test_writes_together_reach_the_floor(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """All clients together write at the required rate."""
    judge_rate(fabric, campaign, judge, reading=False)


@applies_to(has_storage_clients)
@requirements("HSS02")
def test_reads_together_reach_the_floor(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """All clients together read at the required rate."""
    judge_rate(fabric, campaign, judge, reading=True)


def judge_rate(fabric: Fabric, campaign: Campaign, judge: Judge, *, reading: bool) -> None:
    """Hold what all clients moved against the floor."""
    done = work(fabric, campaign, judge)
    if not done:
        return
    if campaign.site.rehearsal:
        judge.skip(fabric.name, MACHINE)
        return
    rate = storage_load.rate_gbytes_per_s(done, reading=reading)
    shares = {
        subject: f"{one.bytes / (one.read_s if reading else one.wrote_s) / 1e9:.2f} GB/s"
        for subject, one in done.items()
    }
    judge.expect_within(
        fabric.name, rate, storage_load.floor(fabric.site.plan, fabric.name), remedy=SLOW, values=shares
    )
